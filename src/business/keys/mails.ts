import type { Database, Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import {
  type EmailComposer,
  type EmailContent,
  headerText,
  type MailRow,
} from '../../mail/email.ts'
import { MAIL_JOB, queueMails } from '../../mail/queue.ts'
import { renderNoticeEmail } from '../../mail/templates.ts'
import { selectBusinessName, selectKey, updateBrowserSeen } from './queries.ts'

const QUIET_MS = 24 * 3_600_000

/** Records that a browser sent a secret key, and emails the owner at most once a day per key. */
export async function recordBrowserUse(
  { db, ids, nudge }: Pick<Deps, 'ids' | 'nudge'> & { db: Database },
  key: Tenant & { keyId: number },
  origin: string,
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const seen = await updateBrowserSeen(tx, key, now, addMs(now, -QUIET_MS))
    if (!seen?.owner) return
    const about = { subjectType: 'api_key', subjectId: key.keyId, data: { origin } }
    const { businessId, live } = key
    await queueMails(tx, ids, [
      { businessId, live, kind: 'owner_notice', ...about, to: seen.owner, at: now },
    ])
    tx.after(() => nudge(MAIL_JOB))
  })
}

export const keyEmailComposer: EmailComposer = { compose: composeNotice }

async function composeNotice(db: Db, mail: MailRow): Promise<EmailContent | undefined> {
  const tenant = { businessId: mail.business_id, live: mail.live }
  const [key, name] = await Promise.all([
    selectKey(db, tenant, mail.subject_id),
    selectBusinessName(db, mail.business_id),
  ])
  if (!key || key.revoked_at) return undefined
  const { origin } = JSON.parse(mail.data ?? '{}') as { origin?: string }
  return renderNoticeEmail({
    test: !mail.live,
    heading: `A secret key for ${headerText(name)} was used from a browser`,
    paragraphs: [
      'A web page sent a request with one of your secret keys. We refused it.',
      'Anyone who opens that page can read the key. Revoke it, and keep its replacement on your server.',
    ],
    facts: [
      ['Key', `${key.hint}${key.label ? ` (${headerText(key.label)})` : ''}`],
      ['Web page', headerText(origin ?? 'unknown')],
      ['First seen', mail.created_at.toISOString()],
    ],
  })
}
