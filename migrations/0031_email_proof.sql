-- Whether the person who uses an account also reads the mailbox of its address.

alter table people
  -- When somebody first used a link that was mailed to the address. Until then, anyone could have
  -- made the account.
  add column email_proved_at timestamptz;

-- Two more kinds of links that work once: one confirms the address, one removes all passkeys.
alter table person_links drop constraint person_links_kind_check;
alter table person_links add constraint person_links_kind_check
  check (kind in ('owner', 'invitation', 'password', 'email', 'passkeys'));

alter table person_links
  -- SHA-256 of the copy of an invitation's link that a colleague passes on. The copy lets somebody
  -- join, and proves nothing about the mailbox.
  add column copied_hash bytea;
create unique index person_links_copied on person_links (copied_hash) where copied_hash is not null;

-- Until now, an invitation could be used only through the link in the mail.
update people p set email_proved_at = l.used_at
from person_links l
where l.kind = 'invitation' and l.email = p.email and l.used_at is not null;
