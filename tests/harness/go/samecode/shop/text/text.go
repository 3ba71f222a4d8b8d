package text

func Words(line string) int { return len(line) / 3 }
