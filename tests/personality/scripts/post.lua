-- A form is posted, always the same one.

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
wrk.body = "name=Ada&born=1815"
