import { Counter, type Registry } from 'prom-client'

/** The results of email attempts in this process. */
export interface MailCounts {
  sent: number
  /** Emails kept in the mailbox. */
  captured: number
  /** Attempts that will be repeated. */
  postponed: number
  /** Emails that will not be tried again. */
  failed: number
  /** Emails that were no longer needed. */
  dropped: number
}

export const noMails = (): MailCounts => ({
  sent: 0,
  captured: 0,
  postponed: 0,
  failed: 0,
  dropped: 0,
})

export function measureMails(registry: Registry, counts: Readonly<MailCounts>): void {
  new Counter({
    name: 'tradepost_mails_total',
    help: 'Email attempts by result.',
    labelNames: ['outcome'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count)
    },
  })
}
