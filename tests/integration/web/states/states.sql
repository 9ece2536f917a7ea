-- What a plant may be in, on top of a few instances that ran: rows in every state that
-- their tables allow. What is filled in are instances and tasks of the test.

UPDATE people SET mail = 'adam@example.com' WHERE login = 'adam';
UPDATE people SET active = false WHERE login = 'dora';
UPDATE people SET pin_hash = 'x', badge_hash = 'x' WHERE login = 'ana';
UPDATE people SET password_hash = 'x' WHERE login IN ('adam', 'eva');
UPDATE people SET password_once = true WHERE login = 'eva';
INSERT INTO identities (issuer, subject, person_id)
SELECT 'https://acme.example', 'u-1', id FROM people WHERE login = 'eva';
INSERT INTO sign_in_requests (issuer, subject, person_id, name)
SELECT 'https://acme.example', 'u-2', id, 'Eve Else' FROM people WHERE login = 'eva';

INSERT INTO orders
    (number, product, due, priority, customer, status, received_at, started_at, ended_at)
SELECT
    'MO-2026-' || lpad(n::text, 4, '0'), CASE WHEN mod(n, 4) = 0 THEN '' ELSE 'Paint' END,
    CASE mod(n, 4)
        WHEN 0 THEN NULL
        WHEN 1 THEN current_date - 2
        WHEN 2 THEN current_date
        ELSE current_date + 1
    END,
    (ARRAY['low', 'normal', 'high', 'urgent'])[mod(n, 4) + 1],
    CASE WHEN mod(n, 3) = 0 THEN '' ELSE 'buyer@example.com' END,
    (ARRAY['waiting for release', 'new', 'in process', 'done', 'cancelled',
        'completed manually'])[mod(n, 6) + 1],
    now() - n * interval '1 hour',
    CASE WHEN mod(n, 6) IN (2, 3, 5) THEN now() - n * interval '1 hour' END,
    CASE WHEN mod(n, 6) IN (3, 4, 5) THEN now() - n * interval '10 minutes' END
FROM generate_series(1, 1200) AS n;
INSERT INTO order_lines
    (order_number, line, material, name, required_kg, lot, measured_kg, loaded_lot,
     loaded_at)
SELECT
    number, line, 'RM-00' || line, 'Material ' || line, 10,
    CASE line WHEN 2 THEN 'L-1' END,
    CASE line WHEN 1 THEN 10.5 WHEN 2 THEN 9 END,
    CASE line WHEN 1 THEN 'L-1' WHEN 2 THEN 'L-2' END,
    CASE WHEN line < 3 THEN now() END
FROM orders, generate_series(1, 3) AS line
WHERE number < 'MO-2026-0100';
UPDATE orders SET status = 'in process', instance_id = %(everything)s,
    started_at = now() - interval '3 days' WHERE number = 'MO-2026-0002';
UPDATE orders SET status = 'in process', instance_id = %(suspended)s
    WHERE number = 'MO-2026-0008';
UPDATE orders SET instance_id = %(completed)s WHERE number = 'MO-2026-0003';
UPDATE orders SET product = 'The only red one' WHERE number = 'MO-2026-0500';
INSERT INTO tank_runs
    (key, tank, order_number, state, why, temperature_c, speed_rpm, heard_at)
VALUES
    ('1', 'tank', 'MO-2026-0002', 'running', '', 31.5, 700, now()),
    ('2', 'tank', 'MO-2026-0003', 'finished', '', 40, 0, now()),
    ('3', 'tank', 'MO-2026-0008', 'silent', 'no route', NULL, NULL, NULL);
INSERT INTO attachments (id, instance_id, task_id, field, media_type, content, added_by)
VALUES
    (gen_random_uuid(), %(everything)s, %(task)s, 'photo', 'image/png', 'x', 'ana'),
    (gen_random_uuid(), %(everything)s, %(task)s, 'paper', 'application/pdf', 'x', 'ana');

INSERT INTO mails
    (account, folder, uidvalidity, uid, sha256, size_bytes, sender, message_id, counts,
     outcome, reasons, order_number)
VALUES
    ('a', 'f', 1, 1, 'x', 9, 'buyer@example.com', '<1@example.com>', true, 'accepted',
     '[]', 'MO-2026-0002'),
    ('a', 'f', 1, 2, 'x', 9, 'buyer@example.com', '<2@example.com>', true, 'rejected',
     '[{"code": "bad_number", "sentence": "The number is wrong.", "where": "line 1"}]',
     NULL),
    ('a', 'f', 1, 3, 'x', 9, 'buyer@example.com', '<3@example.com>', true, 'ignored',
     '[{"code": "seen", "sentence": "It was read before."}]', NULL),
    ('a', 'f', 1, 4, 'x', 9, NULL, NULL, false, 'accepted', '[]', 'MO-2026-0003'),
    ('a', 'f', 1, 5, 'x', 9, 'buyer@example.com', '<5@example.com>', true, 'accepted',
     '[]', 'MO-2026-0004');
INSERT INTO mail_pieces (mail_id, piece, raw)
SELECT id, 0, convert_to(E'Subject: Order\nFrom: buyer@example.com\n\nText\n', 'UTF8')
FROM mails WHERE uid = 1;
INSERT INTO mail_pieces (mail_id, piece, raw)
SELECT id, 0, convert_to(
    E'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n'
    || E'--b\nContent-Type: text/html\n\n<p>' || repeat('word ', 60000) || E'</p>\n'
    || E'--b\nContent-Type: text/csv; name=order.csv\n'
    || E'Content-Disposition: attachment; filename=order.csv\n\nx\n--b--\n', 'UTF8')
FROM mails WHERE uid = 5;
INSERT INTO outbox (id, mail_id, recipient, subject, body, state, attempts, last_error)
SELECT state, 1, 'buyer@example.com', 'Re', 'Text', state, 2,
    CASE state WHEN 'given_up' THEN 'no such user' END
FROM unnest(ARRAY['waiting', 'sending', 'sent', 'unknown', 'given_up']) AS state;
INSERT INTO contacts VALUES
    ('imap', now(), NULL, NULL), ('smtp', now() - interval '1 day', now(), 'refused');

INSERT INTO incidents
    (kind, message, instance_id, task_id, element, cause, assignee, opened_at,
     resolved_at, resolved_by)
SELECT kind, 'It failed: ' || kind,
    CASE WHEN kind IN ('stuck', 'job', 'goal', 'robot', 'call', 'step', 'problem')
        THEN %(everything)s::uuid END,
    NULL,
    CASE WHEN kind IN ('stuck', 'job', 'call') THEN 'look' END,
    'c' || md5(kind), CASE kind WHEN 'goal' THEN 'sofia' WHEN 'call' THEN 'adam' END,
    now() - n * interval '1 minute',
    CASE WHEN n = 2 THEN now() END, CASE WHEN n = 2 THEN 'sofia' END
FROM unnest(ARRAY[
    'stuck', 'job', 'goal', 'robot', 'call', 'step', 'problem', 'mail', 'mailbox',
    'mail server', 'mail account', 'reply', 'webhook', 'start by timer', 'no such kind'
]) AS kind, generate_series(1, 2) AS n;
INSERT INTO incidents (kind, message, cause, resolved_at, resolved_by)
VALUES ('mail', 'It is over.', 'cover', now(), NULL);
INSERT INTO incidents (kind, message, cause)
SELECT 'mail', repeat('long ', 100) || n, 'cmany' FROM generate_series(1, 130) AS n;
INSERT INTO incidents (kind, message, cause, instance_id, element)
SELECT 'stuck', 'Everywhere', 'cplaces', i.id, 'e' || row_number() OVER ()
FROM instances AS i WHERE i.id <> %(completed)s;
INSERT INTO incidents (kind, message, cause, assignee)
SELECT 'mail', 'Cause ' || n, 'cx' || mod(n, 300), 'p' || n
FROM generate_series(1, 302) AS n;
INSERT INTO incident_comments (cause, text, written_by)
VALUES
    ('c' || md5('job'), 'Paper is out.', 'sofia'),
    ('c' || md5('goal'), 'One.', 'sofia'), ('c' || md5('goal'), 'Two.', 'gone');
INSERT INTO alert_wishes VALUES ('adam', true, true, '{everything,""}');
INSERT INTO push_subscriptions (endpoint, login, keys)
VALUES
    ('https://push.example.com/1', 'adam', '{}'),
    ('https://push.example.com/2', 'adam', '{}');
INSERT INTO alerts (cause, channel, error)
VALUES ('cmany', 'mail:adam@example.com', 'refused'), ('cplaces', 'push:1', NULL);

UPDATE subscriptions SET correlation = 'MO-1' WHERE kind = 'message';
UPDATE jobs SET state = 'ready', attempts = 1, resets = 1,
    run_at = now() + interval '1 hour'
WHERE instance_id = %(again)s;
INSERT INTO events (kind, actor, instance_id, element, data)
SELECT 'variable', 'adam', %(everything)s, CASE WHEN mod(n, 2) = 0 THEN 'look' END,
    CASE WHEN n > 125 THEN '{"name":"kg","new":null,"old":1,"local":true}'
        ELSE '{"name":"kg","new":1}' END::json
FROM generate_series(1, 130) AS n;
INSERT INTO events (kind, actor, instance_id, data)
SELECT 'incident opened', 'adam', %(everything)s, '{"message": "It failed."}'
FROM generate_series(1, 130);
INSERT INTO visits (task_id, instance_id, definition_id, element, entered_at)
SELECT gen_random_uuid(), instance_id, definition_id, element, entered_at
FROM visits WHERE instance_id = %(everything)s;
INSERT INTO instances (id, definition_id, key, status, ended_at, end_reason)
SELECT gen_random_uuid(), id, key, 'completed', now(), 'Over.'
FROM definitions, generate_series(1, 1010) WHERE key = 'short';
INSERT INTO forms (form, version, digest, schema, deployed_by, note)
VALUES ('old_form', 1, 'x', '{"components": [{"type": "expression", "key": "a"}]}',
    'adam', 'By an older version.');
INSERT INTO claims (task_id, claimed_by)
SELECT task_id, CASE instance_id WHEN %(far)s THEN 'ana' WHEN %(mine)s THEN 'ana' WHEN %(here)s THEN 'sofia'
    WHEN %(seen)s THEN 'adam' ELSE 'max' END
FROM tasks
WHERE task_id = %(others)s OR instance_id IN (%(far)s, %(here)s, %(seen)s, %(mine)s);
UPDATE tasks SET created_at = now() - interval '1 hour'
WHERE instance_id IN (%(far)s, %(lost)s);
UPDATE tasks
SET
    due_at = now() + interval '1 hour', follow_up_at = now() + interval '1 day',
    owner = 'ana', delegate = 'max'
WHERE task_id = %(others)s;
INSERT INTO task_comments (task_id, instance_id, login, text)
SELECT task_id, instance_id, 'ana', 'wet' FROM tasks WHERE task_id = %(others)s
UNION ALL
SELECT task_id, instance_id, login, 'dry'
FROM tasks CROSS JOIN (VALUES ('ana'), ('gone')) AS two (login)
WHERE task_id = %(task)s;
INSERT INTO drafts (task_id, field, value, saved_by)
SELECT %(task)s, field, value::json, 'ana'
FROM (VALUES
    ('textfield0', '"x"'), ('textarea0', '"x"'), ('scan0', '"L-1"'),
    ('number0', '3'), ('weigh0', '3.1'), ('datetime0', '"2026-01-31"'),
    ('checkbox0', 'true'), ('radio0', '"red"'), ('select0', '7'),
    ('checklist0', '["red"]'), ('photo0', '"data:image/png;base64,eA=="'),
    ('signature0', '"data:image/png;base64,eA=="'), ('signature1', '"Ana"')
) AS typed (field, value);
INSERT INTO answers (task_id, instance_id, element, answers, answered_by)
VALUES (%(answered)s, %(everything)s, 'look', '{"lot": "L-1", "ok": true}', 'max');
INSERT INTO late_answers
    (key, task_id, instance_id, business_key, task_name, answers, answered_by,
     device_at, reason)
VALUES
    ('1', %(answered)s, %(everything)s, 'MO-2026-0002', 'Look',
     '{"lot": "L-2", "ok": false, "seen": ["a", "b"], "photo": {"attachment": "1"},
       "none": null}',
     'ana', now(), 'answered by Max Doe at 12:00 already'),
    ('2', %(task)s, %(everything)s, NULL, 'Look', '{"lot": "L-2"}', 'gone', now(),
     'Max Doe has taken the task meanwhile'),
    ('3', gen_random_uuid(), NULL, NULL, 'Look', '{}', 'ana', now(),
     'the task is over');

UPDATE late_answers SET posted_by = 'max' WHERE key = '1';

INSERT INTO goals
    (id, robot, place, x_m, y_m, yaw_rad, state, instance_id, reason, sent_at, ended_at)
SELECT state, CASE n WHEN 1 THEN 'robot1' ELSE 'r' || n END, 'A', 0, 0, 0, state, %(everything)s::uuid,
    CASE state WHEN 'failed' THEN 'blocked' END,
    CASE WHEN state <> 'new' THEN now() - interval '1 minute' END,
    CASE WHEN state NOT IN ('new', 'sent') THEN now() END
FROM unnest(ARRAY['new', 'sent', 'reached', 'failed', 'cancelled', 'unknown'])
    WITH ORDINALITY AS s (state, n);
INSERT INTO goals
    (id, robot, place, x_m, y_m, yaw_rad, state, instance_id, sent_at, ended_at)
VALUES
    ('far', 'robot9', 'A', 0, 0, 0, 'sent', %(far)s, now(), NULL),
    ('here', 'robot1', 'mixing_room', 0, 0, 0, 'reached', %(here)s, now(), now());
INSERT INTO robots
    (robot, owner, lease_until, ready, why_not, link, x_m, y_m, battery, reported_at)
VALUES
    ('robot1', 'w1', now() + interval '1 hour', true, NULL, 'up', 1, 1, 0.9, now()),
    ('robot2', 'w1', now() + interval '1 hour', false, 'emergency stop', 'up', NULL,
     NULL, 0.1, now()),
    ('robot3', NULL, NULL, false, NULL, 'down', 3, 3, NULL, now() - interval '1 day')
ON CONFLICT (robot) DO UPDATE SET
    owner = excluded.owner, lease_until = excluded.lease_until,
    ready = excluded.ready, why_not = excluded.why_not, link = excluded.link,
    x_m = excluded.x_m, y_m = excluded.y_m, battery = excluded.battery,
    reported_at = excluded.reported_at;
INSERT INTO robots_out (robot, reason, taken_out_by) VALUES ('robot3', 'oil', 'adam');
INSERT INTO robot_holds (robot, instance_id) VALUES ('robot1', %(everything)s)
ON CONFLICT DO NOTHING;
INSERT INTO robot_hours
SELECT 'robot' || n, date_trunc('hour', now()), 100, 200, 300, 400
FROM generate_series(1, 3) AS n
ON CONFLICT DO NOTHING;
INSERT INTO element_hours
SELECT id, date_trunc('hour', now()) - interval '1 hour', 'look', 5, 1, 900, 600, 300
FROM definitions;
INSERT INTO order_hours VALUES (date_trunc('hour', now()), 5, 3, 1)
ON CONFLICT DO NOTHING;

INSERT INTO batches
    (action, details, reason, ordered_by, ended_at, stopped_by, items, done, failed)
SELECT action,
    CASE action
        WHEN 'set variables' THEN '{"variables": {"kg": 1}, "removed": ["lot"]}'
        WHEN 'skip' THEN '{"element": "look"}'
        WHEN 'move' THEN '{"element": "look", "to": "look"}'
        WHEN 'migrate' THEN '{"version": 1, "renamed": {"a": "b"}}'
        WHEN 'restart' THEN '{"elements": ["look"], "latest": true}'
        WHEN 'cancel' THEN '{"completed_manually": true}'
        ELSE '{}'
    END::json,
    'Because.', 'sofia',
    CASE WHEN n > 1 THEN now() END, CASE WHEN n = 3 THEN 'adam' END, 4,
    CASE WHEN n > 1 THEN 1 END,
    CASE WHEN n = 2 THEN 1 WHEN n = 3 THEN 2 WHEN n = 4 THEN 0 END
FROM unnest(ARRAY['retry', 'suspend', 'resume', 'cancel', 'set variables', 'skip',
    'move', 'migrate', 'restart']) AS action, generate_series(1, 4) AS n
WHERE n = 2 OR action = 'suspend';
INSERT INTO batches (action, reason, ordered_by, ended_at, done, failed)
SELECT 'retry', 'Old.', 'sofia', now(), 0, 0 FROM generate_series(1, 60);
INSERT INTO batch_items
    (batch_id, place, instance_id, incident_id, state, message, done_at)
SELECT id, place,
    CASE place WHEN 1 THEN %(completed)s::uuid ELSE gen_random_uuid() END,
    CASE place WHEN 2 THEN 1 END,
    (ARRAY['done', 'failed', 'waiting'])[place],
    CASE WHEN place = 2 THEN 'It is not there.'
        WHEN action = 'restart' THEN %(completed)s::text END,
    CASE WHEN place < 3 THEN now() END
FROM batches, generate_series(1, 3) AS place WHERE reason = 'Because.';
INSERT INTO batch_items (batch_id, place, instance_id)
SELECT id, n, gen_random_uuid() FROM batches, generate_series(10, 300) AS n
WHERE ended_at IS NULL;

INSERT INTO api_tokens
    (name, token_hash, role, groups, created_by, expires_at, used_at, revoked_at)
VALUES
    ('good', '1', 'admin', '{}', 'adam', now() + interval '1 year', now(), NULL),
    ('soon', '2', 'worker', '{worker}', 'adam', now() + interval '1 day', NULL, NULL),
    ('old', '3', 'viewer', '{}', 'adam', now() - interval '1 day', NULL, NULL),
    ('gone', '4', 'viewer', '{}', 'adam', now() + interval '1 day', NULL, now());
INSERT INTO webhooks
    (url, secret, kinds, created_by, paused_at, last_error, failures, sent_at, sent_event)
VALUES
    ('https://a.example.com', 's', '{started}', 'adam', NULL, NULL, 0, now(), 1),
    ('https://b.example.com', 's', '{}', 'adam', NULL, 'refused', 3, NULL, NULL),
    ('https://c.example.com', 's', '{started}', 'adam', now(), 'refused', 50, NULL, NULL),
    ('https://d.example.com', 's', '{started}', 'adam', now(), NULL, 0, NULL, NULL);
INSERT INTO webhook_posts (webhook_id, event_id, body, attempts, last_error)
SELECT id, n, '{}', n, CASE n WHEN 2 THEN 'refused' END
FROM webhooks, generate_series(1, 2) AS n WHERE failures > 0;

INSERT INTO tablets (token_hash, name, enrolled_by, revoked_at)
VALUES ('1', 'Mixing', 'sofia', NULL), ('2', 'Lost', 'sofia', now());
INSERT INTO workers (name, version, poll_s, seen_at, failure)
VALUES
    ('w1', '1', 1, now(), NULL), ('w2', '1', 1, now() - interval '1 hour', NULL),
    ('w3', '0', 1, now(), 'the database is away');
INSERT INTO retention (keep_days, changed_by) VALUES (30, 'adam');
INSERT INTO history_runs
    (before, reason, asked_by, taken_by, taken_at, ended_at, counts, failure)
VALUES
    (now(), 'Old.', 'adam', 'w1', now(), now(), '{"instances": 3}', NULL),
    (now(), 'Old.', 'adam', 'w1', now(), now(), '{}', 'the disk is full'),
    (now(), 'Old.', 'retention', 'w1', now(), NULL, '{}', NULL);
INSERT INTO suspended_processes (key, suspended_by, suspended_reason)
VALUES ('warehouse_simplified', 'sofia', 'The floor is wet.');
INSERT INTO model_drafts (person_id, kind, key, base_version, content)
SELECT id, kind, key, base, content
FROM people, (VALUES
    ('process', 'warehouse', 1,
     (SELECT xml FROM definitions WHERE key = 'warehouse' AND version = 1)),
    ('process', 'sketch', NULL, convert_to('<no model', 'UTF8')),
    ('decision', 'weight_tolerance', 1,
     (SELECT xml FROM decisions WHERE key = 'weight_tolerance' AND version = 1))
) AS drafts (kind, key, base, content)
WHERE login = 'adam';

INSERT INTO catalogue_versions (content, did, thing, made_by, reason)
SELECT replace(%(catalogue)s, 'Chalk', 'Chalk ' || n),
    CASE n WHEN 3 THEN 'catalogue version taken' ELSE 'material changed' END,
    CASE n WHEN 3 THEN '1' ELSE 'RM-002' END, 'adam', 'Better.'
FROM generate_series(1, 25) AS n;

INSERT INTO experiments
    (title, plan, question, state, runs, dropped, dropped_runs, failure, made_by,
     began_at, leased_until, stop_asked_by, share, link)
SELECT
    'Experiment ' || n,
    '{"layout": "1-2-2-8-428", "scenario": "default", "hours": 4, "seeds": 2,
      "set": ["skus=500"], "measure": "score"}',
    CASE WHEN n IN (2, 3, 4, 5) THEN '{"orders_per_h": 100}'::jsonb END,
    CASE n WHEN 1 THEN 'waiting' WHEN 2 THEN 'running' WHEN 6 THEN 'failed'
        WHEN 7 THEN 'running' ELSE 'done' END,
    9, CASE WHEN n < 4 THEN ARRAY['poa=Random'] ELSE '{}' END, 1,
    CASE n WHEN 6 THEN 'the disk is full' ELSE '' END, 'sofia',
    CASE WHEN n IN (2, 7) THEN now() - interval '1 minute' END,
    CASE n WHEN 7 THEN now() - interval '1 second' END,
    CASE n WHEN 7 THEN 'sofia' END, 0.5,
    CASE n WHEN 3 THEN 'a link that somebody has' END
FROM generate_series(1, 40) AS n;
INSERT INTO experiment_runs (experiment_id, case_name, seed, footprint, series, view)
SELECT
    e, 'poa=' || poa || ' robots=' || robots, seed,
    jsonb_build_object(
        'robots', robots, 'orders_per_h', 10 * robots + seed, 'items_per_h', 20,
        'score', 0.5, 'pile_on', 2, 'distance_km_per_h', 5, 'trips_per_h', 100,
        'pick_station_idle', CASE e WHEN 3 THEN 0.01 ELSE 0.4 END,
        'order_turnover_s', CASE poa WHEN 'FCFS' THEN 90 ELSE 60 END + seed,
        'late_share', 0.1, 'orders_placed', 100, 'strategy_poa', poa, 'collisions', 0,
        'orders', CASE WHEN e IN (2, 3) OR (e = 4 AND robots = 4) THEN 90 ELSE 97 END
            + CASE e WHEN 5 THEN -5 * seed ELSE seed END
    ),
    '[{"at_h": 1, "orders_per_h": 10, "distance_m_per_h": 900},
      {"at_h": 2, "orders_per_h": 12, "distance_m_per_h": 800}]',
    '{}'
FROM
    (VALUES (2, 1), (3, 2), (4, 2), (5, 2), (7, 1)) AS shown (e, seeds),
    generate_series(0, seeds - 1) AS seed,
    (VALUES ('FCFS'), ('PodMatch')) AS rules (poa),
    (VALUES (4), (8)) AS counts (robots)
WHERE e <> 7 OR (poa = 'FCFS' AND robots = 4);

-- Lots in every state, some on a robot, some that expire soon or have.
INSERT INTO lots (lot, material, supplier, supplier_lot, state, expires_on, received_by)
VALUES
    ('L-1', 'RM-001', 'works', 'W77', 'released', current_date + 5, 'ada'),
    ('L-2', 'RM-002', '', '', 'quarantine', NULL, 'ada'),
    ('L-3', 'RM-003', '', '', 'blocked', current_date - 5, 'ada'),
    ('L-4', 'RM-004', '', '', 'released', current_date - 1, 'ada'),
    ('L-5', 'RM-001', '', '', 'used up', NULL, 'ada');
INSERT INTO stock_moves (lot, place, grams, kind, reason, moved_by)
VALUES
    ('L-1', 'A', 250500, 'receive', 'delivery', 'ada'),
    ('L-1', 'A', -500, 'correct', 'stock-take', 'ada'),
    ('L-1', '@robot1', 10000, 'transfer', 'test', 'ada'),
    ('L-2', 'B', 900000, 'receive', 'delivery', 'ada'),
    ('L-3', 'C', 1000, 'receive', 'delivery', 'ada'),
    ('L-4', 'A', 1000, 'receive', 'delivery', 'ada');

-- Loads on robots: of an order that goes on, and one that nobody brings back.
INSERT INTO order_picks
    (order_number, pick, line, material, lot, place, grams, state, robot, loaded_lot,
     loaded_place, loaded_grams, loaded_by, loaded_at)
VALUES
    ('MO-2026-0002', 0, 0, 'RM-001', 'L-1', 'A', 10000, 'on robot', 'robot1', 'L-1',
     'A', 10000, 'ana', now()),
    ('MO-2026-0004', 0, 0, 'RM-001', NULL, 'A', 10000, 'on robot', 'robot2', NULL,
     NULL, NULL, 'ana', now()),
    ('MO-2026-0004', 1, 0, 'RM-002', NULL, 'B', 10000, 'on robot', 'robot2', NULL,
     NULL, NULL, 'ana', now());
INSERT INTO order_picks
    (order_number, pick, line, material, place, grams, state, robot, loaded_at, used_at)
VALUES
    ('MO-2026-0002', 1, 1, 'RM-002', 'B', 10000, 'used', 'robot1', now(), now());
INSERT INTO incidents (kind, message, cause)
VALUES ('load', '''robot2'' still carries 10 kg of RM-001 of MO-2026-0004.', 'cload');

INSERT INTO pictures (name, content, added_by)
VALUES (repeat('0', 32) || '.png', '\x89504e470d0a1a0a', 'adam');
