import { withPrices } from './catalogue.ts'

/** Monthly prices unless the name says otherwise. */
export const TELEVISION = [
  withPrices({ slug: 'dstv', name: 'DStv', category: 'television' }, [
    { slug: 'padi', name: 'DStv Padi', naira: 4_400 },
    { slug: 'yanga', name: 'DStv Yanga', naira: 6_000 },
    { slug: 'confam', name: 'DStv Confam', naira: 11_000 },
    { slug: 'compact', name: 'DStv Compact', naira: 19_000 },
    { slug: 'compact-plus', name: 'DStv Compact Plus', naira: 30_000 },
    { slug: 'premium', name: 'DStv Premium', naira: 44_500 },
  ]),
  withPrices({ slug: 'gotv', name: 'GOtv', category: 'television' }, [
    { slug: 'smallie', name: 'GOtv Smallie', naira: 1_900 },
    { slug: 'jinja', name: 'GOtv Jinja', naira: 3_900 },
    { slug: 'jolli', name: 'GOtv Jolli', naira: 5_800 },
    { slug: 'max', name: 'GOtv Max', naira: 8_500 },
    { slug: 'supa', name: 'GOtv Supa', naira: 11_400 },
    { slug: 'supa-plus', name: 'GOtv Supa Plus', naira: 16_800 },
  ]),
  withPrices({ slug: 'startimes', name: 'StarTimes', category: 'television' }, [
    { slug: 'nova', name: 'StarTimes Nova', naira: 2_100 },
    { slug: 'nova-weekly', name: 'StarTimes Nova, 7 days', naira: 700 },
    { slug: 'basic', name: 'StarTimes Basic', naira: 4_000 },
    { slug: 'smart', name: 'StarTimes Smart', naira: 5_100 },
    { slug: 'classic', name: 'StarTimes Classic', naira: 6_000 },
    { slug: 'super', name: 'StarTimes Super', naira: 9_800 },
  ]),
  withPrices({ slug: 'showmax', name: 'Showmax', category: 'television' }, [
    { slug: 'mobile', name: 'Showmax Entertainment, mobile', naira: 1_600 },
    { slug: 'all-devices', name: 'Showmax Entertainment, all devices', naira: 3_500 },
    { slug: 'premier-league', name: 'Showmax Premier League, mobile', naira: 4_000 },
  ]),
]
