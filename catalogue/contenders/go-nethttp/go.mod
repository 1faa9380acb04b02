module example.org/go-nethttp

go 1.24
