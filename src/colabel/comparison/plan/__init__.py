"""What is to be compared: methods, data and splits, all of it checked before the first fit."""
