module hashrange.dev/testing

go 1.24
