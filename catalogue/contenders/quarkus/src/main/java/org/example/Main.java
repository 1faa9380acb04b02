package org.example;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.vertx.core.impl.launcher.commands.VersionCommand;
import java.util.List;

@QuarkusMain
public class Main {

  public static void main(String[] args) {
    if (List.of(args).contains("--version")) {
      System.out.printf("Quarkus %s, Vert.x %s, Java %s%n",
          Quarkus.class.getPackage().getImplementationVersion(),
          VersionCommand.getVersion(), Runtime.version());
      return;
    }
    Quarkus.run(args);
  }
}
