package org.example;

import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Answers from the table {@code item}. The driver prepares a statement once a connection has executed
 * it five times.
 */
@RestController
@ConditionalOnProperty("DATABASE_URL")
public class Items {

  record Item(int id, int shelf, String name) {}

  private final JdbcClient database;

  Items(JdbcClient database) {
    this.database = database;
  }

  @GetMapping(path = "/row", produces = MediaType.APPLICATION_JSON_VALUE)
  Item row(@RequestParam int id) {
    return database.sql("SELECT id, shelf, name FROM item WHERE id = ?")
        .param(id).query(Item.class).optional()
        .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
  }

  @GetMapping(path = "/page", produces = MediaType.APPLICATION_JSON_VALUE)
  List<Item> page(@RequestParam int shelf) {
    return database.sql("SELECT id, shelf, name FROM item WHERE shelf = ? ORDER BY id")
        .param(shelf).query(Item.class).list();
  }
}
