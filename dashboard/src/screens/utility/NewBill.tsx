import {
  Alert,
  Box,
  Button,
  Group,
  SegmentedControl,
  Select,
  Stack,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type {
  EnquireUtilityCustomerAnswer,
  UtilityBiller,
  UtilityCategory,
  UtilityPackage,
} from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { Card, DetailPage } from '../../parts/DetailPage.tsx'
import { useIsPhone } from '../../parts/Filters.tsx'
import { money } from '../../parts/values.tsx'
import { t } from '../../texts/utility.ts'
import { Pay } from './Pay.tsx'
import { type Enquiry, NUMBERS } from './types.ts'

interface Choice extends Record<string, unknown> {
  category: string
  biller: string | null
  packageSlug: string | null
  customerId: string
}

/** What and for whom first; then the biller says who that is, and only then it is paid. */
export function NewBill() {
  const isPhone = useIsPhone()
  const [enquiry, setEnquiry] = useState<Enquiry>()
  const categories = useRead<Envelope<UtilityCategory[]>>('payment-service/utility/categories')
  const form = useForm<Choice>({
    initialValues: { category: 'airtime', biller: null, packageSlug: null, customerId: '' },
    validate: {
      biller: (biller) => (biller ? null : t.chooseOne),
      packageSlug: (slug) => (slug ? null : t.chooseOne),
      customerId: (id) => (id.trim() ? null : t.whoIsItFor),
    },
  })
  const { category, biller } = form.values
  const billers = useRead<Envelope<UtilityBiller[]>>('payment-service/utility/billers', {
    category,
  })
  const packages = useRead<Envelope<UtilityPackage[]>>(
    'payment-service/utility/packages',
    { biller },
    Boolean(biller),
  )
  const ask = useAction<EnquireUtilityCustomerAnswer, Choice>({
    path: 'payment-service/utility/transactions/customer-enquiry',
    send: ({ customerId, packageSlug }) => ({ customerId: customerId.trim(), packageSlug }),
    refresh: ['nothing'],
  })
  const submit = form.onSubmit((values) =>
    ask.mutate(values, { onSuccess: ({ responseData }) => setEnquiry(responseData) }),
  )
  const choose = (values: Partial<Choice>) => {
    form.setValues(values)
    form.clearErrors()
    ask.reset()
  }
  const names = (categories.data?.data ?? []).map(({ slug, name }) => ({
    value: slug,
    label: name,
  }))
  return (
    <DetailPage
      back={{ to: 'utility', label: t.billsAndAirtime }}
      title={t.payABill}
      read={categories}
    >
      <Box maw={620}>
        {enquiry ? (
          <Pay for={enquiry} onBack={() => setEnquiry(undefined)} />
        ) : (
          <Card>
            <form onSubmit={submit} noValidate>
              <Stack>
                {ask.error && (
                  <Alert color="red" role="alert">
                    {ask.error.message}
                  </Alert>
                )}
                {isPhone ? (
                  <Select
                    label={t.kind}
                    data={names}
                    allowDeselect={false}
                    value={category}
                    onChange={(value) =>
                      choose({ category: value ?? 'airtime', biller: null, packageSlug: null })
                    }
                  />
                ) : (
                  <SegmentedControl
                    aria-label={t.kind}
                    data={names}
                    value={category}
                    onChange={(value) =>
                      choose({ category: value, biller: null, packageSlug: null })
                    }
                  />
                )}
                <Select
                  label={t.biller}
                  placeholder={t.pickOne}
                  searchable
                  required
                  data={(billers.isPlaceholderData ? [] : (billers.data?.data ?? [])).map(
                    ({ slug, name }) => ({ value: slug, label: name }),
                  )}
                  {...form.getInputProps('biller')}
                  onChange={(value) => choose({ biller: value, packageSlug: null })}
                />
                <Select
                  label={t.package}
                  placeholder={biller ? t.pickOne : t.chooseTheBillerFirst}
                  disabled={!biller}
                  searchable
                  required
                  data={(biller && !packages.isPlaceholderData
                    ? (packages.data?.data ?? [])
                    : []
                  ).map((one) => ({ value: one.packageSlug, label: labelOf(one) }))}
                  {...form.getInputProps('packageSlug')}
                />
                <TextInput
                  label={NUMBERS[category] ?? t.numberOfTheCustomer}
                  inputMode="numeric"
                  autoComplete="off"
                  maxLength={64}
                  required
                  {...form.getInputProps('customerId')}
                />
                <Group justify="flex-end" className="form-actions">
                  <Button type="submit" loading={ask.isPending}>
                    {t.findTheCustomer}
                  </Button>
                </Group>
              </Stack>
            </form>
          </Card>
        )}
      </Box>
    </DetailPage>
  )
}

const labelOf = ({ name, amount, currency, amountType }: UtilityPackage): string =>
  amountType === 'fixed' ? `${name} · ${money(amount, currency)}` : name
