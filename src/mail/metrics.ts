import { Counter, type Registry } from 'prom-client'

/** How attempts at mails ended in this process. */
export interface MailCounts {
  sent: number
  /** Kept for the mailbox. */
  captured: number
  /** To be tried again. */
  postponed: number
  /** Given up. */
  failed: number
  /** Not needed any more. */
  dropped: number
}

export const noMails = (): MailCounts => ({
  sent: 0,
  captured: 0,
  postponed: 0,
  failed: 0,
  dropped: 0,
})

/** Adds to `/metrics` what becomes of mails. */
export function measureMails(registry: Registry, counts: Readonly<MailCounts>): void {
  new Counter({
    name: 'tradepost_mails_total',
    help: 'Attempts at mails, by what became of them.',
    labelNames: ['outcome'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count)
    },
  })
}
