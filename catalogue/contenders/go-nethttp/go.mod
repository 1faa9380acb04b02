module example.org/go-nethttp

go 1.22.0
