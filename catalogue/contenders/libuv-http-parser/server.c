/* The paths of catalogue/contenders/README.md with libuv and http_parser: one loop, one thread.
 *
 * A read is parsed at once, and the answers to all the requests in it go out in one write. What the
 * socket doesn't take is queued, and reading stops until it is gone, so a client that sends
 * and never reads costs bounded memory. */

#include <http_parser.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>

enum {
  BACKLOG = 4096,
  READ_MAX = 16 * 1024,
  URL_MAX_KEPT = 256,       /* enough to know our paths by; longer ones are cut */
  BODY_MAX = 64 * 1024,     /* of a request */
  ANSWER_MAX = 256,         /* without an echoed body */
  REQUEST_MIN = 16,         /* "GET / HTTP/1.1\n\n" */
  ANSWERS_MAX = READ_MAX / REQUEST_MIN + 2  /* + the end of an earlier read + a 400 */
};

typedef struct {
  uv_tcp_t tcp;             /* first: a handle is cast to its connection */
  http_parser parser;
  char url[URL_MAX_KEPT];
  size_t url_length;
  char *body;               /* kept for the next request, too */
  size_t body_length;
  int closing;              /* the last answer is written: what still comes in is thrown away */
} connection_t;

typedef struct {
  uv_write_t request;       /* first, as above */
  char data[];
} queued_write_t;

/* Shared by all connections: a read is answered before the loop turns to the next one. */
static char input[READ_MAX];
/* What can be echoed at most is a read and the body that began before it. */
static char output[ANSWERS_MAX * ANSWER_MAX + READ_MAX + BODY_MAX];
static size_t output_length;

static void fail(const char *what, int status) {
  fprintf(stderr, "%s: %s\n", what, uv_strerror(status));
  exit(1);
}

/* ---- answers ---- */

static void put(const char *text, size_t length) {
  if (length == 0) return;  /* there may be no text at all */
  memcpy(output + output_length, text, length);
  output_length += length;
}

static const char *date_line(void) {
  static char line[64];
  static time_t rendered;
  time_t now = time(NULL);
  if (now != rendered) {
    strftime(line, sizeof line, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", gmtime(&now));
    rendered = now;
  }
  return line;
}

static void answer(const connection_t *connection, const char *status, const char *type,
                   const char *body, size_t body_length) {
  const http_parser *parser = &connection->parser;
  const char *reuse = "";   /* keep-alive goes without saying, except to HTTP/1.0 */
  if (connection->closing) reuse = "Connection: close\r\n";
  else if (parser->http_minor == 0) reuse = "Connection: keep-alive\r\n";

  char head[ANSWER_MAX];
  int length = snprintf(head, sizeof head,
                        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s\r\n",
                        status, type, body_length, date_line(), reuse);
  put(head, (size_t)length);
  if (parser->method != HTTP_HEAD) put(body, body_length);
}

static void answer_text(const connection_t *connection, const char *status, const char *text) {
  answer(connection, status, "text/plain", text, strlen(text));
}

/* Nothing in it needs escaping. */
static void answer_json(const connection_t *connection, const char *result) {
  char json[64];
  int length = snprintf(json, sizeof json, "{\"result\":\"%s\"}", result);
  answer(connection, "200 OK", "application/json", json, (size_t)length);
}

/* ---- parsing ---- */

static int on_message_begin(http_parser *parser) {
  connection_t *connection = parser->data;
  connection->url_length = 0;
  connection->body_length = 0;
  return 0;
}

/* Called once per piece: a read may end in the middle of the URL. */
static int on_url(http_parser *parser, const char *at, size_t length) {
  connection_t *connection = parser->data;
  size_t room = sizeof connection->url - connection->url_length;
  if (length > room) length = room;
  memcpy(connection->url + connection->url_length, at, length);
  connection->url_length += length;
  return 0;
}

/* An Upgrade is an offer: go on in HTTP/1.1, or the parser would stop here. */
static int on_headers_complete(http_parser *parser) {
  parser->upgrade = 0;
  return 0;
}

/* In pieces as well. An error ends the parsing, and with it the connection. */
static int on_body(http_parser *parser, const char *at, size_t length) {
  connection_t *connection = parser->data;
  size_t longer = connection->body_length + length;
  char *body = longer <= BODY_MAX ? realloc(connection->body, longer) : NULL;
  if (!body) return 1;
  memcpy(body + connection->body_length, at, length);
  connection->body = body;
  connection->body_length = longer;
  return 0;
}

static int path_is(const connection_t *connection, const struct http_parser_url *url, const char *path) {
  size_t length = strlen(path);
  return url->field_data[UF_PATH].len == length &&
         memcmp(connection->url + url->field_data[UF_PATH].off, path, length) == 0;
}

static int on_message_complete(http_parser *parser) {
  connection_t *connection = parser->data;
  if (!http_should_keep_alive(parser)) {
    connection->closing = 1;
    http_parser_pause(parser, 1);   /* whatever follows the last request isn't one */
  }

  struct http_parser_url url;
  http_parser_url_init(&url);
  int unknown = http_parser_parse_url(connection->url, connection->url_length,
                                      parser->method == HTTP_CONNECT, &url);
  if (unknown) answer_text(connection, "404 Not Found", "Not Found");
  else if (path_is(connection, &url, "/")) answer_text(connection, "200 OK", "Hello, World!");
  else if (path_is(connection, &url, "/empty")) answer_text(connection, "200 OK", "");
  else if (path_is(connection, &url, "/fillbuffer")) answer_json(connection, "Hello world");
  else if (path_is(connection, &url, "/echo"))
    answer(connection, "200 OK", "text/plain", connection->body, connection->body_length);
  else answer_text(connection, "404 Not Found", "Not Found");
  return 0;
}

static const http_parser_settings callbacks = {
  .on_message_begin = on_message_begin,
  .on_url = on_url,
  .on_headers_complete = on_headers_complete,
  .on_body = on_body,
  .on_message_complete = on_message_complete,
};

/* ---- connections ---- */

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer);

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)handle, (void)suggested;
  *buffer = uv_buf_init(input, sizeof input);
}

static void on_close(uv_handle_t *handle) {
  free(((connection_t *)handle)->body);
  free(handle);
}

static void hang_up(uv_stream_t *stream) {
  if (!uv_is_closing((uv_handle_t *)stream)) uv_close((uv_handle_t *)stream, on_close);
}

static void on_shutdown(uv_shutdown_t *request, int status) {
  if (status < 0 && status != UV_ECANCELED) hang_up(request->handle);
  free(request);
}

/* Everything written so far is sent. To close with input unread would reset the connection, and the
 * client could lose its answer: so say that we are done, and read on until the client is. */
static void on_sent(connection_t *connection) {
  if (!connection->closing) return;
  uv_shutdown_t *request = malloc(sizeof *request);
  if (!request || uv_shutdown(request, (uv_stream_t *)&connection->tcp, on_shutdown) < 0) {
    free(request);
    hang_up((uv_stream_t *)&connection->tcp);
  }
}

static void on_write(uv_write_t *request, int status) {
  uv_stream_t *stream = request->handle;
  free(request);
  if (status == UV_ECANCELED) return;     /* it is being closed */
  if (status < 0 || uv_read_start(stream, on_alloc, on_read) < 0) hang_up(stream);
  else on_sent((connection_t *)stream);
}

static void send_output(connection_t *connection) {
  uv_stream_t *stream = (uv_stream_t *)&connection->tcp;
  uv_buf_t all = uv_buf_init(output, (unsigned)output_length);
  int sent = uv_try_write(stream, &all, 1);
  if (sent == UV_EAGAIN) sent = 0;
  if (sent < 0) { hang_up(stream); return; }
  if ((size_t)sent == output_length) { on_sent(connection); return; }

  size_t left = output_length - (size_t)sent;
  queued_write_t *queued = malloc(sizeof *queued + left);
  if (!queued) { hang_up(stream); return; }
  memcpy(queued->data, output + sent, left);
  uv_buf_t rest = uv_buf_init(queued->data, (unsigned)left);
  uv_read_stop(stream);
  if (uv_write(&queued->request, stream, &rest, 1, on_write) < 0) {
    free(queued);
    hang_up(stream);
  }
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer) {
  connection_t *connection = (connection_t *)stream;
  if (length < 0) { hang_up(stream); return; }          /* UV_EOF, or the connection is lost */
  if (length == 0 || connection->closing) return;

  output_length = 0;
  http_parser_execute(&connection->parser, &callbacks, buffer->base, (size_t)length);
  enum http_errno error = HTTP_PARSER_ERRNO(&connection->parser);
  if (error != HPE_OK && !connection->closing) {
    connection->closing = 1;
    if (error == HPE_CB_body) answer_text(connection, "413 Payload Too Large", "Payload Too Large");
    else answer_text(connection, "400 Bad Request", "Bad Request");
  }
  if (output_length > 0) send_output(connection);
}

static void on_connection(uv_stream_t *listener, int status) {
  if (status < 0) { fprintf(stderr, "accept: %s\n", uv_strerror(status)); return; }
  connection_t *connection = calloc(1, sizeof *connection);
  if (!connection) return;
  uv_tcp_init(listener->loop, &connection->tcp);
  http_parser_init(&connection->parser, HTTP_REQUEST);
  connection->parser.data = connection;

  uv_stream_t *stream = (uv_stream_t *)&connection->tcp;
  if (uv_accept(listener, stream) < 0 || uv_tcp_nodelay(&connection->tcp, 1) < 0 ||
      uv_read_start(stream, on_alloc, on_read) < 0) hang_up(stream);
}

static int print_versions(void) {
  unsigned long parser = http_parser_version();
  printf("libuv %s, http_parser %lu.%lu.%lu\n", uv_version_string(),
         parser >> 16 & 255, parser >> 8 & 255, parser & 255);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--version") == 0) return print_versions();
  const char *host = getenv("HOST"), *port = getenv("PORT");
  if (!host || !port) { fprintf(stderr, "HOST and PORT must be set\n"); return 2; }

  signal(SIGPIPE, SIG_IGN);     /* a client that is gone is an error of one write */

  struct sockaddr_in address;
  uv_tcp_t listener;
  uv_loop_t *loop = uv_default_loop();
  int status;
  if ((status = uv_ip4_addr(host, atoi(port), &address)) < 0) fail("HOST", status);
  if ((status = uv_tcp_init(loop, &listener)) < 0) fail("socket", status);
  if ((status = uv_tcp_bind(&listener, (struct sockaddr *)&address, 0)) < 0) fail("bind", status);
  if ((status = uv_listen((uv_stream_t *)&listener, BACKLOG, on_connection)) < 0) fail("listen", status);
  return uv_run(loop, UV_RUN_DEFAULT);
}
