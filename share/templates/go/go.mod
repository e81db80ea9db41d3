module plugins/@NAME@

go 1.22
