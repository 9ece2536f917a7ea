// A worker as somebody would write it with Camunda's own client, which is used as it is.
// Prints one JSON object a line about what it did; ends when its standard input does.
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.camunda.bpm.client.ExternalTaskClient;
import org.camunda.bpm.client.interceptor.auth.BasicAuthProvider;
import org.camunda.bpm.client.task.ExternalTask;
import org.camunda.bpm.client.task.ExternalTaskHandler;
import org.camunda.bpm.client.task.ExternalTaskService;
import org.camunda.bpm.client.variable.ClientValues;
import org.camunda.bpm.client.variable.value.JsonValue;
import org.camunda.bpm.engine.variable.value.TypedValue;

public class Worker {
    static final ObjectMapper JSON = new ObjectMapper();
    static final long LOCK_MS = Long.parseLong(System.getenv("LOCK_MS"));

    static synchronized void say(Map<String, Object> what) {
        try {
            System.out.println(JSON.writeValueAsString(what));
        } catch (Exception error) {
            throw new RuntimeException(error);
        }
    }

    static void complete(ExternalTask task, ExternalTaskService service) throws Exception {
        Map<String, Object> seen = new TreeMap<>();
        for (String name : task.getAllVariables().keySet()) {
            TypedValue typed = task.getVariableTyped(name);
            Object value = typed.getValue();
            if (typed instanceof JsonValue) value = JSON.readValue((String) value, Object.class);
            if (value instanceof Date)
                value = ((Date) value).toInstant().toString().replace("00Z", "00.000Z");
            seen.put(name, value);
        }
        say(Map.of("task", task.getId(), "seen", seen));
        Map<String, Object> results = new HashMap<>();
        results.put("kg", 2 * (int) seen.getOrDefault("kg", 0));
        results.put("weighed", true);
        results.put("lots", ClientValues.jsonValue("[{\"lot\": \"A\", \"kg\": 1.5}]"));
        results.put("at", Date.from(Instant.parse("2026-11-18T10:00:00Z")));
        results.put("note", null);
        service.complete(task, results, Map.of("mine", 1));
    }

    static void count(ExternalTask task, ExternalTaskService service) {
        service.complete(task);
        say(Map.of("task", task.getId()));
    }

    static void fail(ExternalTask task, ExternalTaskService service) {
        int retries = task.getRetries() == null ? 2 : task.getRetries() - 1;
        say(Map.of("task", task.getId(), "retries", retries));
        service.handleFailure(task, "no scale", "a long story", retries, 1);
    }

    static void raise(ExternalTask task, ExternalTaskService service) {
        service.handleBpmnError(task, "TOO_HEAVY", "90 kg", Map.of("kg", 90));
        say(Map.of("task", task.getId()));
    }

    static void extend(ExternalTask task, ExternalTaskService service) throws Exception {
        service.extendLock(task, 600000);
        say(Map.of("task", task.getId()));
        Thread.sleep(2 * LOCK_MS);
        service.complete(task);
    }

    static void hang(ExternalTask task, ExternalTaskService service) throws Exception {
        say(Map.of("task", task.getId()));
        Thread.sleep(Long.MAX_VALUE);
    }

    static void act(ExternalTask task, ExternalTaskService service) {
        try {
            switch (System.getenv("BEHAVIOUR")) {
                case "complete" -> complete(task, service);
                case "count" -> count(task, service);
                case "fail" -> fail(task, service);
                case "throw" -> raise(task, service);
                case "extend" -> extend(task, service);
                default -> hang(task, service);
            }
        } catch (Exception error) {
            say(Map.of("error", error.toString()));
        }
    }

    public static void main(String[] none) throws Exception {
        ExternalTaskClient client = ExternalTaskClient.create()
            .baseUrl(System.getenv("BASE_URL"))
            .workerId(System.getenv("WORKER"))
            .maxTasks(Integer.parseInt(System.getenv("AT_ONCE")))
            .lockDuration(LOCK_MS)
            .asyncResponseTimeout(20000)
            .disableBackoffStrategy()
            .addInterceptor(new BasicAuthProvider("worker", System.getenv("TOKEN")))
            .build();
        ExternalTaskHandler handler = Worker::act;
        client.subscribe(System.getenv("TOPIC")).handler(handler).open();
        while (System.in.read() >= 0) { }
        System.exit(0);
    }
}
