module example.com/steady/layouts

go 1.21
