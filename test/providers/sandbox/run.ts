// Checks the connectors in the real test environments of their providers:
//   PAYSTACK_TEST_KEY=sk_test_… FLUTTERWAVE_TEST_KEY=FLWSECK_TEST-…-X npm run test:providers

import { runSandbox } from './sandbox.ts'

process.exitCode = await runSandbox({
  env: process.env,
  print: (line) => console.log(line),
})
