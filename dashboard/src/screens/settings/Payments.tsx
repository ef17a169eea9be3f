import { Radio, Skeleton, Stack, Text } from '@mantine/core'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Failure } from '../../parts/states.tsx'
import { channelName } from '../../parts/values.tsx'
import { t } from '../../texts/settings.ts'
import { SETTINGS } from './Business.tsx'
import { BEARERS, type Choice, POLICIES } from './choices.ts'
import { InvoiceNumbers } from './InvoiceNumbers.tsx'
import { ManualPayment } from './ManualPayment.tsx'
import { Part, SettingForm } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

export function Payments(section: SectionProps) {
  return (
    <>
      <Fees />
      <ManualPayment {...section} />
      <InvoiceNumbers {...section} />
      <Rule
        {...section}
        id="fee-bearer"
        title={t.whoBearsTheFee}
        about="Payment pages and split pages may say otherwise for themselves."
        field="feeBearer"
        choices={BEARERS}
        done={t.whoBearsTheFeeIsStored}
      />
      <Rule
        {...section}
        id="virtual-accounts"
        title={t.whenTheAmountIsNot}
        about="Somebody sends more or less to a virtual account than was asked for."
        field="virtualAccountPolicy"
        choices={POLICIES}
        done={t.theRuleIsStored}
      />
    </>
  )
}

interface RuleProps extends Pick<SectionProps, 'rules' | 'mayWrite'> {
  id: string
  title: string
  about: string
  field: 'feeBearer' | 'virtualAccountPolicy'
  choices: readonly Choice[]
  done: string
}

/** One rule of how money comes in, to be chosen among few. */
function Rule({ rules, mayWrite, id, title, about, field, choices, done }: RuleProps) {
  return (
    <SettingForm
      id={id}
      title={title}
      about={about}
      values={{ [field]: rules[field] }}
      action={{ path: SETTINGS, method: 'PUT', done }}
      mayWrite={mayWrite}
    >
      {(form) => (
        <Radio.Group aria-label={title} {...form.getInputProps(field)}>
          <Stack gap="sm">
            {choices.map((one) => (
              <Radio key={one.value} {...one} />
            ))}
          </Stack>
        </Radio.Group>
      )}
    </SettingForm>
  )
}

interface FeesSaid {
  isDefault: boolean
  channels: { channel: string; words: string; isOwn: boolean }[]
  transfers: string[]
}

/** What the operator takes, in words. */
function Fees() {
  const { data, error, isPending, refetch } = useRead<Envelope<FeesSaid>>('/console/fees')
  const fees = data?.data
  const agreed = fees?.isDefault === false ? t.agreedWithYourBusiness : t.asForEveryBusiness
  return (
    <Part id="fees" title={t.fees} about={`Set by whoever runs this server. ${fees ? agreed : ''}`}>
      {isPending && <Skeleton height={188} />}
      {error && <Failure error={error} again={() => void refetch()} />}
      {fees && (
        <div className="fees">
          <table>
            <caption>{t.forEachPaymentThatSucceeds}</caption>
            <tbody>
              {fees.channels.map(({ channel, words }) => (
                <tr key={channel}>
                  <th scope="row">{channelName(channel)}</th>
                  <td>{words}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <table>
            <caption>{t.forEachTransferOnTop}</caption>
            <tbody>
              {fees.transfers.map((words) => (
                <tr key={words}>
                  <td>{words}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {fees && (
        <Text size="sm" c="dimmed" mt="sm">
          {t.inOtherCurrenciesThanThe}
        </Text>
      )}
    </Part>
  )
}
