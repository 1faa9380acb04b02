package org.example;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

/** Whom `forward` asks. */
@Path("/")
@RegisterRestClient(configKey = "upstream")
public interface Upstream {

  @GET
  Uni<Response> hello();
}
