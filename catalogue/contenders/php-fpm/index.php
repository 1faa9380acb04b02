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
    ['GET', '/row'] => row((int) $_GET['id']),
    ['GET', '/page'] => page((int) $_GET['shelf']),
    default => null,
};
if (in_array($path, ['/fillbuffer', '/row', '/page'])) {
    $type = 'application/json';
}
if ($body === null) {
    http_response_code(404);
    $type = 'text/plain';
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

function row(int $id): ?string
{
    $found = query('SELECT id, shelf, name FROM item WHERE id = ?', $id);
    return $found ? json_encode($found[0]) : null;
}

function page(int $shelf): string
{
    return json_encode(query('SELECT id, shelf, name FROM item WHERE shelf = ? ORDER BY id', $shelf));
}

function query(string $text, int $key): array
{
    ['host' => $host, 'port' => $port, 'path' => $path, 'user' => $user, 'pass' => $password] =
        parse_url(getenv('DATABASE_URL'));
    $name = substr($path, 1);
    $database = new PDO("pgsql:host=$host;port=$port;dbname=$name", $user, $password, [
        PDO::ATTR_PERSISTENT => true, // A child keeps its connection for its next request,
        PDO::PGSQL_ATTR_DISABLE_PREPARES => true, // but no statement: it goes in one exchange.
    ]);
    $statement = $database->prepare($text);
    $statement->execute([$key]);
    return $statement->fetchAll(PDO::FETCH_ASSOC);
}
