// Runs a double for people, with real time:
//   npm run double -- paystack --port 4100 --key sk_test_mine
// It prints its addresses as JSON, and runs until its input ends or it is interrupted.

import { parseArgs } from 'node:util'
import { openDouble } from './double.ts'
import { paystack } from './paystack/paystack.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    /** Of its pages and controls; the address for calls is printed. */
    port: { type: 'string', default: '0' },
    key: { type: 'string', default: 'sk_live_double1' },
    /** Where it sends its notices. */
    notices: { type: 'string' },
  },
})
if (positionals[0] !== 'paystack') throw new Error('name a provider: paystack')

const double = await openDouble(
  (kit) => paystack(kit, { secretKey: values.key, transfers: { afterMs: 3_000 } }),
  { dashboardPort: Number(values.port) },
)
double.notices.url = values.notices
const { baseUrl, dashboardUrl, provider } = double
console.log(JSON.stringify({ baseUrl, dashboardUrl, secretKey: provider.secretKey() }))

const close = () => void double.close()
process.once('SIGINT', close).once('SIGTERM', close)
process.stdin.resume().on('end', close)
