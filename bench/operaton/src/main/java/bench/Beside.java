package bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.operaton.bpm.engine.ProcessEngine;
import org.operaton.bpm.engine.delegate.DelegateExecution;
import org.operaton.bpm.engine.externaltask.LockedExternalTask;
import org.operaton.bpm.engine.impl.cfg.StandaloneProcessEngineConfiguration;
import org.operaton.bpm.engine.impl.cfg.TransactionState;
import org.operaton.bpm.engine.impl.context.Context;
import org.operaton.bpm.engine.impl.jobexecutor.DefaultJobExecutor;

/**
 * The other side of bench/beside_operaton.py: one command a line on the standard input,
 * one number a line on the standard output.
 */
public final class Beside {
  private static final String BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL";
  private static final String CAMUNDA = "http://camunda.org/schema/1.0/bpmn";
  private static volatile CountDownLatch ended = new CountDownLatch(0);

  private final ProcessEngine engine;
  private final DefaultJobExecutor executor;

  private Beside(String url, String user, String password) {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(url);
    pool.setUsername(user);
    pool.setPassword(password);
    pool.setMaximumPoolSize(20);
    executor = new DefaultJobExecutor();
    StandaloneProcessEngineConfiguration settings = new StandaloneProcessEngineConfiguration();
    settings.setDataSource(new HikariDataSource(pool));
    settings.setDatabaseSchemaUpdate("true");
    settings.setHistory("full");
    settings.setJobExecutor(executor);
    settings.setJobExecutorActivate(false);
    settings.setMetricsEnabled(false);
    settings.setEnforceHistoryTimeToLive(false);
    settings.setBeans(Map.of("bench", this));
    engine = settings.buildProcessEngine();
    deploy("line.bpmn", line("line", 10, "<serviceTask id='s%d' camunda:asyncBefore='true'"
        + " camunda:expression='${true}'/>"));
    deploy("leased.bpmn", line("leased", 10, "<serviceTask id='s%d' camunda:type='external'"
        + " camunda:topic='bench.leased'/>"));
    deploy("clerk.bpmn", line("clerk", 1, "<userTask id='s%d'/>"));
  }

  private static byte[] line(String key, int length, String task) {
    StringBuilder parts = new StringBuilder("<startEvent id='s0'/>");
    for (int i = 1; i <= length; i++) {
      parts.append(String.format(task, i));
    }
    parts.append("<endEvent id='s").append(length + 1).append("'><extensionElements>")
        .append("<camunda:executionListener event='end' expression='${bench.end(execution)}'/>")
        .append("</extensionElements></endEvent>");
    for (int i = 0; i <= length; i++) {
      parts.append(String.format(
          "<sequenceFlow id='f%d' sourceRef='s%d' targetRef='s%d'/>", i, i, i + 1));
    }
    return ("<definitions xmlns='" + BPMN + "' xmlns:camunda='" + CAMUNDA
        + "' targetNamespace='bench'><process id='" + key + "' isExecutable='true'>" + parts
        + "</process></definitions>").getBytes(StandardCharsets.UTF_8);
  }

  /** Called by the models when an instance ends; it counts once that is committed. */
  public void end(DelegateExecution execution) {
    Context.getCommandContext().getTransactionContext()
        .addTransactionListener(TransactionState.COMMITTED, context -> ended.countDown());
  }

  private void deploy(String name, byte[] content) {
    engine.getRepositoryService().createDeployment()
        .addInputStream(name, new ByteArrayInputStream(content)).deploy();
  }

  private void stock(String key, int number) {
    for (int i = 0; i < number; i++) {
      engine.getRuntimeService().startProcessInstanceByKey(key);
    }
  }

  private void workers(int number) {
    executor.setCorePoolSize(number);
    executor.setMaxPoolSize(number);
  }

  private double throughput(int workers, int number) throws InterruptedException {
    stock("line", number);
    workers(workers);
    ended = new CountDownLatch(number);
    long begun = System.nanoTime();
    executor.start();
    ended.await();
    double seconds = (System.nanoTime() - begun) / 1e9;
    executor.shutdown();
    return number / seconds;
  }

  private double latency(int times) throws InterruptedException {
    workers(1);
    executor.start();
    List<Double> taken = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      ended = new CountDownLatch(1);
      long begun = System.nanoTime();
      engine.getRuntimeService().startProcessInstanceByKey("line");
      ended.await();
      taken.add((System.nanoTime() - begun) / 1e6);
    }
    executor.shutdown();
    return median(taken);
  }

  private double userTasks(int clients, int number) throws InterruptedException {
    stock("clerk", number);
    ConcurrentLinkedQueue<String> tasks = engine.getTaskService().createTaskQuery().list()
        .stream().map(task -> task.getId())
        .collect(Collectors.toCollection(ConcurrentLinkedQueue::new));
    int found = tasks.size();
    return found / together(clients, () -> {
      for (String task = tasks.poll(); task != null; task = tasks.poll()) {
        engine.getTaskService().complete(task);
      }
    });
  }

  private double external(int workers, int number) throws InterruptedException {
    stock("leased", number);
    ended = new CountDownLatch(number);
    return number / together(workers, () -> {
      String name = Thread.currentThread().getName();
      while (ended.getCount() > 0) {
        List<LockedExternalTask> tasks = engine.getExternalTaskService()
            .fetchAndLock(10, name).topic("bench.leased", 60_000).execute();
        for (LockedExternalTask task : tasks) {
          engine.getExternalTaskService().complete(task.getId(), name);
        }
      }
    });
  }

  private double deployFiles(int times, List<Path> files) throws Exception {
    List<Double> taken = new ArrayList<>();
    for (int turn = 0; turn < times; turn++) {
      var deployment = engine.getRepositoryService().createDeployment();
      for (Path file : files) {
        String content = Files.readString(file) + "<!-- " + System.nanoTime() + " -->";
        deployment.addString(file.getFileName().toString(), content);
      }
      long begun = System.nanoTime();
      deployment.deploy();
      taken.add((System.nanoTime() - begun) / 1e6);
    }
    return median(taken);
  }

  private static double together(int number, Runnable work) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    long begun = System.nanoTime();
    for (int i = 0; i < number; i++) {
      Thread thread = new Thread(work, "w" + i);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return (System.nanoTime() - begun) / 1e9;
  }

  private static double median(List<Double> values) {
    values.sort(null);
    return values.get(values.size() / 2);
  }

  private double run(String[] words) throws Exception {
    return switch (words[0]) {
      case "throughput" -> throughput(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "usertasks" -> userTasks(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "external" -> external(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case "latency" -> latency(Integer.parseInt(words[1]));
      case "deploy" -> deployFiles(Integer.parseInt(words[1]),
          Arrays.stream(words).skip(2).map(Path::of).toList());
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  public static void main(String[] args) throws Exception {
    Beside beside = new Beside(args[0], args[1], args[2]);
    System.out.println("ready");
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      System.out.printf(Locale.ROOT, "%.3f%n", beside.run(line.split("\t")));
      System.out.flush();
    }
    System.exit(0);
  }
}
