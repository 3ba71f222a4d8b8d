module turns

go 1.21
