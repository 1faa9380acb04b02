package org.example;

import io.quarkus.arc.InjectableInstance;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;
import java.util.List;
import org.jboss.resteasy.reactive.RestQuery;

/** Answers from the table {@code item}. */
@Path("/")
public class Items {

  public record Item(int id, int shelf, String name) {

    static Item from(Row row) {
      return new Item(row.getInteger("id"), row.getInteger("shelf"), row.getString("name"));
    }
  }

  @Inject
  InjectableInstance<Pool> pool;

  @GET
  @Path("/row")
  public Uni<Item> row(@RestQuery int id) {
    return query("SELECT id, shelf, name FROM item WHERE id = $1", id)
        .map(RowSet::iterator)
        .map(rows -> rows.hasNext() ? Item.from(rows.next()) : null)
        .onItem().ifNull().failWith(NotFoundException::new);
  }

  @GET
  @Path("/page")
  public Uni<List<Item>> page(@RestQuery int shelf) {
    return query("SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id", shelf)
        .onItem().transformToMulti(rows -> Multi.createFrom().iterable(rows))
        .map(Item::from)
        .collect().asList();
  }

  private Uni<RowSet<Row>> query(String text, int key) {
    return pool.get().preparedQuery(text).execute(Tuple.of(key));
  }
}
