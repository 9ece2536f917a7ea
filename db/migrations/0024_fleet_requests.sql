-- What a process asks of the fleet is a request, in the words of every other program.
ALTER TABLE errands RENAME TO fleet_requests;
ALTER SEQUENCE errands_number_seq RENAME TO fleet_requests_number_seq;
ALTER INDEX errands_pkey RENAME TO fleet_requests_pkey;
ALTER INDEX errands_at_work RENAME TO fleet_requests_at_work;
ALTER INDEX errands_to_tell RENAME TO fleet_requests_to_tell;
ALTER INDEX errands_by_instance RENAME TO fleet_requests_by_instance;
ALTER TABLE fleet_requests
    RENAME CONSTRAINT errands_kind_check TO fleet_requests_kind_check;
ALTER TABLE fleet_requests
    RENAME CONSTRAINT errands_state_check TO fleet_requests_state_check;
ALTER TABLE fleet_requests
    RENAME CONSTRAINT errands_instance_id_fkey TO fleet_requests_instance_id_fkey;
