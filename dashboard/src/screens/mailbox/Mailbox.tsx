import { STATUS, WHEN } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Clip } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/mailbox.ts'
import { kindOf, type MailLine } from './types.ts'

/** The mails of the business. Where no mail server is set, this is the only place to read them. */
export function Mailbox() {
  const may = useMay()
  return (
    <ListPage<MailLine>
      title={t.mailbox}
      path="/console/mails"
      cut="cursor"
      columns={[
        {
          label: t.subject,
          cell: ({ subject, kind }) => <Clip text={subject ?? kindOf(kind)} isLong />,
        },
        {
          label: t.to,
          cell: ({ to }) => <Clip text={to} />,
          onPhone: 'below',
        },
        STATUS,
        WHEN,
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `mailbox/${id}`}
      empty={{
        title: t.noMailsYet,
        text: t.everyInvoiceReminderAndReceipt,
        ...(may('invoices:write') && {
          action: <ScreenLink to="invoices/new">{t.sendAnInvoice}</ScreenLink>,
        }),
      }}
    />
  )
}
