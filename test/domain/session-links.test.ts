import { describe, expect, it } from 'vitest';
import { defaultCrawlConfig } from '../../contracts/crawl.ts';
import { compilePattern } from '../../domain/pattern.ts';
import { compileScope, type LinkFacts } from '../../domain/scope.ts';
import { actionIn, hasSession } from '../../domain/session-links.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';

function link(rest: string): CanonicalUrl {
  const read = canonicalize(`https://site.example${rest}`);
  if (!read.ok) throw new Error(read.rejected);
  return read.value;
}

const action = (rest: string): string | null => actionIn(link(rest).canonical);

describe('a link that ends the session or changes something', () => {
  it.each([
    ['/logout', '"logout" in "logout" of the path'],
    ['/user/Log-Out/', '"logout" in "Log-Out" of the path'],
    ['/sign_off?back=/', '"signoff" in "sign_off" of the path'],
    ['/issue?@action=logout', '"logout" in the parameter "@action"'],
    ['/index.php?title=Special:UserLogout&returnto=Main', '"logout" in the parameter "title"'],
    ['/index.php?title=Special%3AUserlogout', '"userlogout" in the parameter "title"'],
    ['/index.php?title=Main_Page&action=edit', '"edit" in the parameter "action"'],
    ['/index.php?action=rollback&from=x&title=A', '"rollback" in the parameter "action"'],
    ['/doku.php?do=revert&id=start&rev=17', '"revert" in the parameter "do"'],
    ['/doku.php?id=start&do=logout&sectok=', '"logout" in the parameter "do"'],
    ['/shop/?add-to-cart=17', '"addtocart" in the name of the parameter "add-to-cart"'],
    ['/cart?remove_item=3', '"remove" in the name of the parameter "remove_item"'],
    ['/comment-delete-17.php', '"delete" in "comment-delete-17.php" of the path'],
    ['/posts/17/edit', '"edit" in "edit" of the path'],
    ['/vote?id=17&how=up', '"vote" in "vote" of the path'],
    ['/list/unsubscribe/abc', '"unsubscribe" in "unsubscribe" of the path'],
    ['/do.cgi?a=1;op=delete', '"delete" in the parameter "op"'],
    ['/servlet/doLogout.do', '"logout" in "doLogout.do" of the path'],
    ['/konto/abmelden', '"abmelden" in "abmelden" of the path'],
    ['/d%C3%A9connexion', '"deconnexion" in "déconnexion" of the path'],
    ['/%D0%B2%D1%8B%D0%B9%D1%82%D0%B8', '"выити" in "выйти" of the path'],
    ['/%E3%83%AD%E3%82%B0%E3%82%A2%E3%82%A6%E3%83%88', '"ロクアウト" in "ログアウト" of the path'],
    ['/member/logout%zz', '"logout" in "logout%zz" of the path'],
    ['/logout2.php', '"logout" in "logout2.php" of the path'],
    ['/logoutuser', '"logoutuser" in "logoutuser" of the path'],
    ['/auth/log-me-out', '"logmeout" in "log-me-out" of the path'],
    ['/log/out', '"logout" in "log/out" of the path'],
    ['/sessions/end', '"sessionsend" in "sessions/end" of the path'],
    ['/terminate-session', '"terminatesession" in "terminate-session" of the path'],
    ['/account/exit', '"exit" in "exit" of the path'],
    ['/token/revoke', '"revoke" in "revoke" of the path'],
    ['/item/5/del', '"del" in "del" of the path'],
    ['/cart/add/5', '"add" in "add" of the path'],
    ['/cart?add=5', '"add" in the name of the parameter "add"'],
    ['/users/5/ban', '"ban" in "ban" of the path'],
    ['/transfer?to=7', '"transfer" in "transfer" of the path'],
    ['/?action=del&id=3', '"del" in the parameter "action"'],
    ['/?q=user/logout', '"logout" in the parameter "q"'],
    ['/?q=node/12/delete', '"delete" in the parameter "q"'],
    ['/index.php?s=/Home/Public/logout', '"logout" in the parameter "s"'],
    ['/index.php?page=delete_user&id=5', '"delete" in the parameter "page"'],
    ['/index.php?r=site%2Flogout', '"logout" in the parameter "r"'],
  ])('%s', (rest, told) => {
    expect(action(rest)).toBe(told);
  });

  it.each([
    ['/', 'nothing'],
    ['/blog/outlook', 'the letters of log out'],
    ['/credit/editors', 'letters within words'],
    ['/help/how-to-delete-your-old-account', 'a title with such a word'],
    ['/search?q=logout', 'a search for it'],
    ['/search?q=exit', 'a search for a word that counts alone'],
    ['/news/exit-polls', 'a word that counts alone, among others'],
    ['/football/transfer', 'a deed without a number'],
    ['/shop?page=transfer', 'the name of a page'],
    ['/wiki/index.php?title=Talk/Delete', 'a page with a path in its title'],
    ['/wiki/index.php?title=Delete', 'a page with such a title'],
    ['/devotees?page=edit', 'the name of a page'],
    ['/votes-for-women', 'another word'],
    ['/login?next=/home', 'a way in'],
  ])('%s is none: %s', (rest) => {
    expect(action(rest)).toBeNull();
  });
});

describe('the scope of a crawl', () => {
  const found: LinkFacts = { depth: 1, seed: false, inside: true };
  const judge = (config: Partial<typeof defaultCrawlConfig>, facts = found) =>
    compileScope({ ...defaultCrawlConfig, ...config }, compilePattern)(link('/logout'), facts).verdict;
  const cookie = { cookie: 'id=1' };

  it('leaves such links out with a session, but for seeds, and unless they are asked for', () => {
    expect(judge({ headers: cookie })).toBe('excluded');
    expect(judge({ headers: { Authorization: 'Bearer x' } })).toBe('excluded');
    expect(judge({ headers: { 'X-Note': 'hello' } })).toBe('admit');
    expect(judge({})).toBe('admit');
    expect(judge({ headers: cookie, sessionLinks: true })).toBe('admit');
    expect(judge({ headers: cookie }, { ...found, seed: true, depth: 0 })).toBe('admit');
  });

  it('knows a session by its header in any case of letters', () => {
    expect(hasSession({ COOKIE: 'a=b' })).toBe(true);
    expect(hasSession({ accept: 'text/html' })).toBe(false);
  });
});
