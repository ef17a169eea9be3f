import { type Damage, lastOf } from './shop.ts'

/* Damage to split pages and their subaccounts. */

export const splits: Damage[] = [
  [
    'a share that its page does not count',
    ({ splitPage }) => `update split_page_shares set share = 41 where split_page_id = ${splitPage}`,
    ({ splitPage }) => [`split-page-shares: split_pages ${splitPage}`],
  ],
  [
    'a page that counts a missing share',
    ({ splitPage }) => `delete from split_page_shares where split_page_id = ${splitPage}`,
    ({ splitPage }) => [`split-page-shares: split_pages ${splitPage}`],
  ],
  [
    'a page without a link',
    ({ splitPage }) => `delete from page_links where page_id = ${splitPage}`,
    ({ splitPage }) => [`linked-pages: split_pages ${splitPage}`],
  ],
  [
    'a link without a page',
    ({ splitPage }) => `insert into page_links (link, business_id, live, page_id)
      select 'no-' || ${splitPage}, business_id, live, -id from split_pages
      where id = ${splitPage}`,
    ({ splitPage }) => [`page-links: page_links ${-splitPage}`],
  ],
  [
    'a renamed page that search finds by its old name',
    ({ splitPage }) => `update split_pages set name = 'Levies' where id = ${splitPage}`,
    ({ splitPage }) => [`split-page-texts: split_pages ${splitPage}`],
  ],
  [
    'a subaccount that no search finds',
    ({ subaccount }) => `delete from search_texts where id = ${subaccount}`,
    ({ subaccount }) => [`subaccount-texts: subaccounts ${subaccount}`],
  ],
  [
    'a subaccount without its last event',
    ({ subaccount }) => lastOf(subaccount),
    ({ subaccount }) => [`subaccount-events: subaccounts ${subaccount}`],
  ],
  [
    'a split page without its last event',
    ({ splitPage }) => lastOf(splitPage),
    ({ splitPage }) => [`split_page-events: split_pages ${splitPage}`],
  ],
]
