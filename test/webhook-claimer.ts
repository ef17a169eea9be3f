// A separate process that claims due deliveries and starts to send them, for tests to kill:
//   node --import ./src/loader.js test/webhook-claimer.ts '{"host": …, "database": …}'

import { pino } from 'pino'
import { openDatabase } from '../src/db/database.ts'
import { openIds } from '../src/db/ids.ts'
import { openDeliverer } from '../src/developers/webhooks/deliver.ts'
import { systemClock } from '../src/lib/clock.ts'
import { openPauses } from '../src/providers/pauses.ts'
import { testKeyring } from './keyring.ts'

const db = openDatabase({ connection: JSON.parse(process.argv[2]!), connectionsMax: 4 })
const deliverer = openDeliverer({
  db,
  ids: openIds(db),
  keyring: testKeyring(),
  clock: systemClock,
  nudge: () => {},
  pauses: openPauses(db),
  log: pino({ level: 'silent' }),
  allowsLoopback: true,
})
await deliverer.run(db, systemClock.now())
await deliverer.idle()
