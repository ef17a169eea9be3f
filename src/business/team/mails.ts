import type { Db, Tx } from '../../db/database.ts'
import type { Deps, MemberNotice, People } from '../../deps.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { EmailComposer, EmailContent, MailRow } from '../../mail/email.ts'
import { MAIL_JOB, queueMails } from '../../mail/queue.ts'
import { renderNoticeEmail } from '../../mail/templates.ts'
import { ROLES, type Role, scopesOf } from '../people/roles.ts'
import { selectBusinessName, selectByRoles } from './queries.ts'

/** Lets other slices contact a business's members. */
export function openPeople({ ids, clock, nudge }: Pick<Deps, 'ids' | 'clock' | 'nudge'>): People {
  async function tell(
    tx: Tx,
    { businessId, live }: Tenant,
    people: readonly { person_id: number; email: string }[],
    notice: MemberNotice,
  ): Promise<void> {
    const at = clock.now()
    const mails = people.map(({ person_id: subjectId, email: to }) => ({
      businessId,
      // The email belongs to neither mode, and a test clock must not affect when it is sent.
      live: true,
      kind: 'person_news' as const,
      subjectType: 'person',
      subjectId,
      to,
      data: { ...notice, live },
      at,
    }))
    await queueMails(tx, ids, mails)
    if (mails.length > 0) tx.after(() => nudge(MAIL_JOB))
  }
  return {
    approversOf: async (db, tenant) =>
      (await approvers(db, tenant)).map(({ person_id }) => person_id),
    async emailApprovers(tx, tenant, notice, { but }) {
      const others = (await approvers(tx, tenant)).filter(({ person_id }) => person_id !== but)
      await tell(tx, tenant, others, notice)
    },
    async emailHolders(tx, tenant, scope, notice) {
      const roles = rolesWith(scope, tenant.live)
      await tell(tx, tenant, await selectByRoles(tx, tenant.businessId, roles), notice)
    },
    emailOwners: async (tx, tenant, notice) =>
      tell(tx, tenant, await selectByRoles(tx, tenant.businessId, ['owner']), notice),
  }
}

const approvers = (db: Db, { businessId, live }: Tenant) =>
  selectByRoles(db, businessId, approvingRoles(live))

const approvingRoles = (live: boolean): Role[] => rolesWith('transfers:write', live)

const rolesWith = (scope: string, live: boolean): Role[] =>
  ROLES.filter((role) => scopesOf(role, live).includes(scope))

export const memberEmailComposer = ({ publicUrl }: { publicUrl: string }): EmailComposer => ({
  compose: (db, mail) => compose(db, publicUrl, mail),
})

type StoredNotice = MemberNotice & { live: boolean }

async function compose(db: Db, publicUrl: string, mail: MailRow): Promise<EmailContent> {
  const notice = JSON.parse(mail.data ?? '{}') as StoredNotice
  const name = await selectBusinessName(db, mail.business_id)
  const { heading, paragraphs, path, text } = wordsOf(notice)
  const mode = notice.live ? 'live' : 'test'
  return renderNoticeEmail({
    heading,
    paragraphs,
    facts: [
      ['Business', name],
      ['When', mail.created_at.toISOString()],
    ],
    ...(path && { link: { url: `${publicUrl}/${mode}/${path}`, text } }),
    test: !notice.live,
    reason: 'You’re receiving this because you’re a member of this business on a Tradepost server.',
  })
}

interface Words {
  heading: string
  paragraphs: string[]
  /** A path in the dashboard, without the mode. */
  path?: string
  text: string
}

function wordsOf(notice: MemberNotice): Words {
  if (notice.what === 'payout_account_changed') {
    const { of, before, after, until } = notice
    const account = of === null ? 'Your settlement account' : `The bank account for ${of}`
    return {
      heading: 'A payout account was changed',
      paragraphs: [
        before === null
          ? `${account} was set to ${after}. Previously, it was a different account.`
          : `${account} was changed from the account ending in ${before} to ${after}.`,
        `No payouts will be sent to it before ${until}.`,
        'If you didn’t expect this, change it back, and ask everyone who can change it whether they did.',
      ],
      text: '',
    }
  }
  if (notice.what === 'payout_failed') {
    const { isReturned, amount, to, reason } = notice
    return {
      heading: isReturned ? 'A payout was returned' : 'A payout failed',
      paragraphs: [
        `${amount} to your settlement account (${to}) ${
          isReturned ? 'was returned by the bank' : 'could not be paid out'
        }. The money is back in your wallet.`,
        ...(reason ? [`The bank says: ${reason}.`] : []),
        'Check the account in your settings before you pay out again.',
      ],
      path: notice.path,
      text: 'View payout',
    }
  }
  if (notice.what === 'approval_suspended') {
    return {
      heading: 'Transfers no longer need approval',
      paragraphs: [
        'Approval limits require at least two people who can approve transfers. You now have fewer, so ' +
          'the limits are suspended, and transfers of any amount are sent immediately.',
        'To restore the limits, invite another owner, admin or finance member.',
      ],
      path: 'team',
      text: 'Invite teammate',
    }
  }
  if (notice.what === 'approval_needed') {
    return {
      heading: 'A transfer needs approval',
      paragraphs: [
        `${notice.by} wants to send ${notice.amount} to ${notice.to}.`,
        'The money is on hold until someone approves or rejects the transfer. Other transfers may be ' +
          'waiting too.',
      ],
      path: notice.path,
      text: 'Review transfers',
    }
  }
  if (notice.what === 'approval_change') {
    return {
      heading: 'A change to the approval limits needs your confirmation',
      paragraphs: [
        `${notice.by} wants to change the approval limits. Per transfer: ${notice.transfer}. ` +
          `Per day: ${notice.daily}.`,
        'The limits stay as they are until someone else confirms the change.',
      ],
      path: notice.path,
      text: 'Review change',
    }
  }
  if (notice.what === 'provider_changed') {
    const { change, name, by } = notice
    return {
      heading: PROVIDER_CHANGES[change].heading,
      paragraphs: [
        PROVIDER_CHANGES[change].says.replace('BY', by).replace('NAME', name),
        'If you didn’t expect this, sign in, pause the connection, and ask everyone who can change it ' +
          'whether they did.',
      ],
      path: 'providers',
      text: 'Check providers',
    }
  }
  if (notice.what === 'orders_unresolved') {
    const { orders, since, path } = notice
    return {
      heading: 'A payment needs your decision',
      paragraphs: [
        orders === 1
          ? `Tradepost doesn’t know the outcome of an order that was sent at ${since}.`
          : `Tradepost doesn’t know the outcome of ${orders} orders. The first was sent at ${since}.`,
        'Tradepost continues to ask the provider. Look at what was sent and received, and ask the ' +
          'provider’s support if necessary. Then decide whether the money was paid.',
      ],
      path,
      text: 'Review orders',
    }
  }
  if (notice.what === 'dispute') return disputeWords(notice)
  const { of, given, found, from, path } = notice
  const why = found
    ? `You entered “${given}” as the account holder for ${of}, but the bank has “${found}”.`
    : `The bank couldn’t confirm the account for ${of}.`
  const what = from
    ? `From ${from}, nothing will be paid out to the account until someone corrects or confirms it.`
    : 'Nothing will be paid out to the account until someone corrects or confirms it.'
  return {
    heading: from ? 'Payouts will be blocked' : 'Payouts are blocked',
    paragraphs: [why, what],
    path,
    text: 'Check account',
  }
}

type ProviderChange = Extract<MemberNotice, { what: 'provider_changed' }>['change']

const PROVIDER_CHANGES: Record<ProviderChange, { heading: string; says: string }> = {
  connected: {
    heading: 'A payment provider was connected',
    says: 'BY connected NAME. Customers’ payments and your payouts can now go through it.',
  },
  credentials: {
    heading: 'The keys of a payment provider were replaced',
    says: 'BY replaced the keys with which NAME is used.',
  },
  notice_url: {
    heading: 'A notification URL was replaced',
    says:
      'BY replaced the URL to which NAME sends notifications. Enter the new one at the provider ' +
      'before the old one stops working.',
  },
  paused: {
    heading: 'A payment provider was paused',
    says: 'BY paused NAME. No new payments or payouts go through it.',
  },
  resumed: {
    heading: 'A payment provider was resumed',
    says: 'BY resumed NAME. Payments and payouts can go through it again.',
  },
  removed: {
    heading: 'A payment provider was removed',
    says: 'BY removed NAME and deleted its keys from this server.',
  },
}

function disputeWords({
  news,
  amount,
  payment,
  customer,
  reason,
  due,
  path,
}: Extract<MemberNotice, { what: 'dispute' }>): Words {
  const of = `${amount} of the payment ${payment}${customer ? ` from ${customer}` : ''}`
  const deadline = due
    ? `Respond by ${due}. Without a response, you lose the dispute.`
    : 'Respond soon. Without a response, you can lose the dispute.'
  const said = reason === '' ? [] : [`The customer’s reason: “${reason}”`]
  const words = (heading: string, ...paragraphs: string[]) => ({
    heading,
    paragraphs,
    path,
    text: 'View dispute',
  })
  if (news === 'opened') {
    const held = 'The amount is on hold until the dispute is decided.'
    return words('A payment was disputed', `${of} was disputed. ${held}`, ...said, deadline)
  }
  if (news === 'due') {
    return words('A dispute needs your response', `${of} is disputed.`, ...said, deadline)
  }
  if (news === 'response_failed') {
    const failed = `The provider didn’t take your response to the dispute over ${of}.`
    return words('Your response to a dispute failed', failed, deadline)
  }
  return news === 'won'
    ? words('You won a dispute', `The dispute over ${of} was decided for you.`)
    : words('You lost a dispute', `${of} was returned to the customer’s bank.`)
}
