//! Names of the peripherals of the nRF5340's application core, for reports. Addresses from the vendor's SVD file by
//! way of `nrf5340-app-pac` 0.12.2; where several share a page the usual name is given.

const PAGES: [(u32, &str); 53] = [
    (0x5000_0000, "DCNF"),
    (0x5000_1000, "CACHE"),
    (0x5000_3000, "SPU"),
    (0x5000_4000, "REGULATORS"),
    (0x5000_5000, "CLOCK"),
    (0x5000_6000, "CTRLAP"),
    (0x5000_8000, "UARTE0"),
    (0x5000_9000, "UARTE1"),
    (0x5000_a000, "SPIM4"),
    (0x5000_b000, "UARTE2"),
    (0x5000_c000, "UARTE3"),
    (0x5000_d000, "GPIOTE0"),
    (0x5000_e000, "SAADC"),
    (0x5000_f000, "TIMER0"),
    (0x5001_0000, "TIMER1"),
    (0x5001_1000, "TIMER2"),
    (0x5001_4000, "RTC0"),
    (0x5001_5000, "RTC1"),
    (0x5001_7000, "DPPIC"),
    (0x5001_8000, "WDT0"),
    (0x5001_9000, "WDT1"),
    (0x5001_a000, "COMP"),
    (0x5001_b000, "EGU0"),
    (0x5001_c000, "EGU1"),
    (0x5001_d000, "EGU2"),
    (0x5001_e000, "EGU3"),
    (0x5001_f000, "EGU4"),
    (0x5002_0000, "EGU5"),
    (0x5002_1000, "PWM0"),
    (0x5002_2000, "PWM1"),
    (0x5002_3000, "PWM2"),
    (0x5002_4000, "PWM3"),
    (0x5002_6000, "PDM0"),
    (0x5002_8000, "I2S0"),
    (0x5002_a000, "IPC"),
    (0x5002_b000, "QSPI"),
    (0x5002_d000, "NFCT"),
    (0x5002_f000, "GPIOTE1"),
    (0x5003_0000, "MUTEX"),
    (0x5003_3000, "QDEC0"),
    (0x5003_4000, "QDEC1"),
    (0x5003_6000, "USBD"),
    (0x5003_7000, "USBREGULATOR"),
    (0x5003_9000, "NVMC"),
    (0x5008_1000, "VMC"),
    (0x5084_2000, "GPIO"),
    (0x5084_4000, "CRYPTOCELL"),
    (0x5084_5000, "CRYPTOCELL"),
    (0x5084_6000, "CRYPTOCELL"),
    (0x5084_7000, "CRYPTOCELL"),
    (0x5084_8000, "CRYPTOCELL"),
    (0x5084_9000, "CRYPTOCELL"),
    (0x5084_a000, "CRYPTOCELL"),
];

/// `NAME+0xOFFSET` for a secure address, `NAME (non-secure alias)+0xOFFSET` for the alias below it.
pub(super) fn name(address: u32) -> String {
    let alias = if address & 0xf000_0000 == 0x4000_0000 { " (non-secure alias)" } else { "" };
    let page = (address & 0x0fff_f000) | 0x5000_0000;
    let known = PAGES.iter().find(|(base, _)| *base == page).map_or("unknown", |(_, name)| name);
    format!("{known}{alias}+{:#05x}", address & 0xfff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_named_by_peripheral_and_offset() {
        assert_eq!(name(0x5000_e500), "SAADC+0x500");
        assert_eq!(name(0x4000_8000), "UARTE0 (non-secure alias)+0x000");
        assert_eq!(name(0x50ff_0004), "unknown+0x004");
    }
}
