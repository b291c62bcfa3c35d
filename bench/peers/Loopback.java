import software.amazon.dynamodb.services.local.main.ServerRunner;
import java.lang.reflect.Field;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** DynamoDB Local with its own arguments, listening on 127.0.0.1 alone. */
public class Loopback {
  public static void main(String[] arguments) throws Exception {
    var proxy = ServerRunner.createServerFromCommandLineArgs(arguments);
    for (Field field : proxy.getClass().getDeclaredFields()) {
      if (Server.class.isAssignableFrom(field.getType())) {
        field.setAccessible(true);
        for (Connector connector : ((Server) field.get(proxy)).getConnectors()) {
          ((ServerConnector) connector).setHost("127.0.0.1");
        }
      }
    }
    proxy.start();
    proxy.join();
  }
}
