module recorded.Recorded.work

go 1.21
