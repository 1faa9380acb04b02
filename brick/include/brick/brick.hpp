/// brick: an HTTP/1.1 server library. This header is all that a program needs.
#pragma once

#include <brick/options.hpp>    // IWYU pragma: export
#include <brick/request.hpp>    // IWYU pragma: export
#include <brick/response.hpp>   // IWYU pragma: export
#include <brick/server.hpp>     // IWYU pragma: export
#include <brick/websocket.hpp>  // IWYU pragma: export
