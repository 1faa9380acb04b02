module example.org/echo

go 1.25.0

require github.com/labstack/echo/v5 v5.3.1

require golang.org/x/time v0.15.0 // indirect
