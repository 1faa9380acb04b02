<?php
// The front controller, to which nginx hands every path that is no file: a path, its answer.

$path = $_SERVER['DOCUMENT_URI'];
$type = 'text/plain';
$body = match ([$_SERVER['REQUEST_METHOD'], $path]) {
    ['GET', '/'] => 'Hello, World!',
    ['GET', '/empty'] => '',
    ['GET', '/fillbuffer'] => json_encode(['result' => 'Hello world']),
    ['POST', '/echo'] => file_get_contents('php://input'),
    ['GET', '/delay'] => delayed('Hello, World!'),
    ['POST', '/upload'] => hash_file('sha256', 'php://input'),
    default => null,
};
if ($path === '/fillbuffer') {
    $type = 'application/json';
}
if ($body === null) {
    http_response_code(404);
    $body = 'Not Found';
}
header("Content-Type: $type");
header('Content-Length: ' . strlen($body));
echo $body;

function delayed(string $body): string
{
    usleep(5000);
    return $body;
}
