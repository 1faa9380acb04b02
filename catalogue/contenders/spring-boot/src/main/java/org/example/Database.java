package org.example;

import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The pool, from which Spring Boot makes the JdbcClient. */
@Configuration
@ConditionalOnProperty("DATABASE_URL")
public class Database {

  // JDBC wants the name and the password apart.
  @Bean
  HikariDataSource pool(@Value("${DATABASE_URL}") URI url) {
    String[] login = url.getUserInfo().split(":", 2);
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl("jdbc:postgresql://%s:%d%s".formatted(url.getHost(), url.getPort(), url.getPath()));
    pool.setUsername(login[0]);
    pool.setPassword(login[1]);
    pool.setMaximumPoolSize(16);
    return pool;
  }
}
