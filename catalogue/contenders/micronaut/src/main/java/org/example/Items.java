package org.example;

import io.micronaut.context.annotation.Requires;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.serde.annotation.Serdeable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Answers from the table {@code item}, on threads of a pool: JDBC blocks. The driver prepares a statement
 * once a connection has executed it five times.
 */
@Controller
@ExecuteOn(TaskExecutors.BLOCKING)
@Requires(beans = DataSource.class)
public class Items {

  @Serdeable
  record Item(int id, int shelf, String name) {}

  private final DataSource database;

  Items(DataSource database) {
    this.database = database;
  }

  // Micronaut answers with 404 where there is none.
  @Get("/row")
  @Nullable Item row(@QueryValue int id) throws SQLException {
    List<Item> found = query("SELECT id, shelf, name FROM item WHERE id = ?", id);
    return found.isEmpty() ? null : found.get(0);
  }

  @Get("/page")
  List<Item> page(@QueryValue int shelf) throws SQLException {
    return query("SELECT id, shelf, name FROM item WHERE shelf = ? ORDER BY id", shelf);
  }

  private List<Item> query(String text, int key) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement statement = connection.prepareStatement(text)) {
      statement.setInt(1, key);
      List<Item> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(new Item(rows.getInt("id"), rows.getInt("shelf"), rows.getString("name")));
        }
      }
      return found;
    }
  }
}
