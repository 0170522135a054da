-- The chain of redirects that has led to a URL that waits, without its cookies: how many there were, and which URLs it has
-- asked for. Gone once the URL is answered (engine/visit/redirect-chain.ts).
alter table url add column chain text;
