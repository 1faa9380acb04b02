package org.example;

import io.micronaut.core.version.VersionUtils;
import io.micronaut.runtime.Micronaut;
import java.util.List;

public class Main {

  public static void main(String[] args) {
    if (List.of(args).contains("--version")) {
      System.out.printf("Micronaut %s, Java %s%n",
          VersionUtils.getMicronautVersion(), Runtime.version());
      return;
    }
    Micronaut.build(args).mainClass(Main.class).banner(false).start();
  }
}
