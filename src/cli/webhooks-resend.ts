import type { Command } from 'commander'
import { type ClientOptions, clientOptions, connect } from './client.ts'
import { printTable } from './output.ts'

interface Options extends ClientOptions {
  webhook?: string
}

export function webhooksResend(webhooks: Command): void {
  const resend = webhooks
    .command('resend <event>')
    .description('Send an event again, to each endpoint that it was for')
    .option('--webhook <reference>', 'only to this endpoint')
    .addHelpText(
      'after',
      `
Examples:
  $ tradepost webhooks resend evt_0123456789abcdefghij
  $ tradepost webhooks resend evt_0123456789abcdefghij --webhook WHK_0123456789abcdefghij`,
    )
    .action(run)
  clientOptions(resend)
}

async function run(event: string, { webhook, ...options }: Options): Promise<void> {
  const tradepost = await connect(options)
  const targets = webhook ? [webhook] : await referencesOf(tradepost)
  const rows: string[][] = []
  for (const reference of targets) {
    try {
      const { status, lastStatus, lastError } = await tradepost.webhooks.redeliver(reference, event)
      rows.push([reference, status, String(lastStatus ?? '-'), lastError ?? '-'])
    } catch (error) {
      const { status, message } = error as { status?: number; message: string }
      if (webhook || (status !== 404 && status !== 409)) throw error
      // An endpoint that does not want the type has no delivery of it; to one that is disabled
      // nothing is sent, which keeps nothing from the others.
      if (status === 409) rows.push([reference, 'Not sent', '-', message])
    }
  }
  if (rows.length === 0) throw new Error(`no endpoint has a delivery of ${event}`)
  printTable(['WEBHOOK', 'DELIVERY', 'ANSWER', 'ERROR'], rows)
}

async function referencesOf(tradepost: Awaited<ReturnType<typeof connect>>): Promise<string[]> {
  const references: string[] = []
  for await (const { reference } of tradepost.webhooks.list()) references.push(reference)
  return references
}
