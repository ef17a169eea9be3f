// Runs a double for people, with real time:
//   npm run double -- paystack --port 4100 --key sk_test_mine
//   npm run double -- flutterwave
// It prints its addresses and its keys as JSON, and runs until its input ends or it is interrupted.

import { parseArgs } from 'node:util'
import { type Kit, openDouble } from './double.ts'
import { flutterwave } from './flutterwave/flutterwave.ts'
import { paystack } from './paystack/paystack.ts'

const transfers = { afterMs: 3_000 }
const PROVIDERS = {
  paystack: (kit: Kit, secretKey = 'sk_live_double1') => paystack(kit, { secretKey, transfers }),
  flutterwave: (kit: Kit, secretKey = 'FLWSECK-double1-X') =>
    flutterwave(kit, { secretKey, transfers, bills: transfers }),
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    /** Of its pages and controls; the address for calls is printed. */
    port: { type: 'string', default: '0' },
    key: { type: 'string' },
    /** Where it sends its notices. */
    notices: { type: 'string' },
  },
})
const [name = ''] = positionals
if (!Object.hasOwn(PROVIDERS, name)) {
  throw new Error(`name a provider: ${Object.keys(PROVIDERS).join(' or ')}`)
}

const double = await openDouble(
  (kit) => PROVIDERS[name as keyof typeof PROVIDERS](kit, values.key),
  { dashboardPort: Number(values.port) },
)
double.notices.url = values.notices
const { baseUrl, dashboardUrl, provider } = double
const secretKey = provider.secretKey()
const secretHash = 'secretHash' in provider ? provider.secretHash() : undefined

function close(): void {
  // An open input would keep the process alive.
  process.stdin.destroy()
  void double.close()
}

process.once('SIGINT', close).once('SIGTERM', close)
process.stdin.resume().on('end', close)
// Now it can be interrupted.
console.log(JSON.stringify({ baseUrl, dashboardUrl, secretKey, secretHash }))
