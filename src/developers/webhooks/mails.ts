import { paymentTermsOf } from '../../business/account/payment-settings.ts'
import type { Db } from '../../db/database.ts'
import {
  type EmailComposer,
  type EmailContent,
  headerText,
  type MailRow,
} from '../../mail/email.ts'
import { renderNoticeEmail } from '../../mail/templates.ts'
import { selectDisabled } from './queries-deliver.ts'

export const webhookEmailComposer: EmailComposer = { compose }

async function compose(db: Db, mail: MailRow): Promise<EmailContent | undefined> {
  const tenant = { businessId: mail.business_id, live: mail.live }
  const [webhook, { name }] = await Promise.all([
    selectDisabled(db, tenant, mail.subject_id),
    paymentTermsOf(db, tenant),
  ])
  // If the endpoint is no longer disabled, someone has already dealt with the problem.
  if (webhook?.status !== 'Disabled') return undefined
  const { reason } = JSON.parse(mail.data ?? '{}') as { reason?: string }
  return renderNoticeEmail({
    test: !mail.live,
    heading: `A webhook endpoint for ${headerText(name)} was disabled`,
    paragraphs: [
      `We stopped sending events to an endpoint. ${reason ?? ''}`.trim(),
      'When it works again, set its status to Active. We will then send any waiting events. To get ' +
        'the events that occurred while the endpoint was disabled, use replay.',
    ],
    facts: [
      ['Endpoint', headerText(webhook.url)],
      ['Reference', webhook.reference],
      ['Failing since', webhook.failing_since?.toISOString() ?? 'just now'],
      ['Last success', webhook.last_success_at?.toISOString() ?? 'never'],
    ],
  })
}
