"""Algorithm and stability metrics of Japke et al., µOpTime, TOSEM 2025."""
