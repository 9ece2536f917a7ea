-- What a person answers on a tablet is signed with a key of that sign-in, which the page
-- gets once and cannot give away. Sign-ins from before have none and prove nothing.
ALTER TABLE tablet_sign_ins ADD COLUMN entry_key bytea;
