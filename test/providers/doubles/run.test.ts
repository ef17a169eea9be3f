import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

test.each(['SIGINT', 'SIGTERM'] as const)('a double for people ends at %s', async (signal) => {
  const args = ['test/providers/doubles/run.ts', 'paystack']
  const double = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const [line] = await once(double.stdout, 'data')
    expect(JSON.parse(`${line}`)).toMatchObject({ secretKey: 'sk_live_double1' })
    double.kill(signal)
    expect(await once(double, 'exit')).toEqual([0, null])
  } finally {
    double.kill('SIGKILL')
  }
})
