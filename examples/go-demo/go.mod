module example.com/steady/demo

go 1.21
