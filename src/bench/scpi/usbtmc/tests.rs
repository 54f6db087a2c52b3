//! What can be shown without USB: the number of the ioctl, files that are no such device, and a port that behaves as
//! the kernel's driver does with whole and with cut answers.

use super::*;
use crate::bench::clock::SystemClock;
use std::collections::VecDeque;
use std::sync::Mutex;

const IDENTITY: &[u8] = b"RIGOL TECHNOLOGIES,DS1054Z,DS1ZA000000001,00.04.04.SP4\n";

/// Answers in order; `cut` is what the driver gives of each at most.
#[derive(Clone, Default)]
struct Fake {
    answers: Arc<Mutex<VecDeque<Vec<u8>>>>,
    written: Arc<Mutex<Vec<u8>>>,
    cut: Option<usize>,
}

impl Fake {
    fn new(answers: &[&[u8]], cut: Option<usize>) -> Fake {
        let answers = answers.iter().map(|a| a.to_vec()).collect();
        Fake { answers: Arc::new(Mutex::new(answers)), cut, ..Fake::default() }
    }
    fn connect(&self) -> Result<UsbTmcTransport, BenchError> {
        let wall = Arc::new(SystemClock::new());
        let mut transport =
            UsbTmcTransport::over(Box::new(self.clone()), "/dev/usbtmc0", Picos::from_s(5), wall)?;
        transport.begin(Picos::from_s(5));
        Ok(transport)
    }
}

impl Port for Fake {
    fn open(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn within(&mut self, _: Picos) -> io::Result<()> {
        Ok(())
    }
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let answer = self.answers.lock().unwrap().pop_front().ok_or(ErrorKind::TimedOut)?;
        let n = answer.len().min(room.len()).min(self.cut.unwrap_or(usize::MAX));
        room[..n].copy_from_slice(&answer[..n]);
        Ok(n)
    }
}

/// linux/usb/tmc.h: `_IOW(91, 10, __u32)`; direction 1 in bits 30-31, size 4 in bits 16-29.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
#[test]
fn the_number_of_the_time_out_is_the_headers() {
    assert_eq!(SET_TIMEOUT, 0x4004_5B0A);
}

#[test]
fn a_link_that_gives_whole_answers_is_used() {
    let fake = Fake::new(&[b"", IDENTITY, b"#14\n\0\n\n\n", b"1\n"], None);
    let mut transport = fake.connect().unwrap();
    transport.write(b"D?\n").unwrap();
    let block = super::super::block::read(10, |into| transport.read_exact(into)).unwrap();
    assert_eq!(block, b"\n\0\n\n");
    transport.write(b"*OPC?\n").unwrap();
    assert_eq!((transport.read_line(10).unwrap(), transport.unread().unwrap()), (b"1".to_vec(), Vec::new()));
    assert_eq!(*fake.written.lock().unwrap(), b"*IDN?\nD?\n*OPC?\n");
}

#[test]
fn a_link_that_cuts_answers_is_refused_with_the_reason() {
    let error = Fake::new(&[IDENTITY], Some(52)).connect().err().unwrap();
    let text = error.to_string();
    assert!(matches!(error, BenchError::Unsupported(_)), "{text}");
    assert!(text.contains("52 bytes") && text.contains("64-byte") && text.contains("docs/usb.md"), "{text}");
}

#[test]
fn a_link_that_cuts_only_later_is_refused_then() {
    let mut block = b"#9000001000".to_vec();
    block.resize(1_012, 7);
    let mut fake = Fake::new(&[b"ACME,X,1,1\n", &block], None);
    fake.cut = Some(52);
    let mut transport = fake.connect().unwrap();
    transport.write(b"D?\n").unwrap();
    let error = super::super::block::read(2_000, |into| transport.read_exact(into)).unwrap_err();
    assert!(error.to_string().contains("cuts answers to 52 bytes"), "{error}");
}

#[test]
fn files_that_are_no_such_device_are_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let cases = [
        (file.path().to_str().unwrap(), "no device of the kernel's USBTMC driver"),
        ("/dev/ptmx", "no device of the kernel's USBTMC driver"),
        ("/dev/usbtmc999", "docs/usb.md"),
    ];
    for (path, expected) in cases {
        let wall = Arc::new(SystemClock::new());
        let text = UsbTmcTransport::connect(path, Picos::from_s(1), wall).err().unwrap().to_string();
        assert!(text.contains(path) && text.contains(expected), "{text}");
    }
}

/// The tree that the kernel makes: the class links to the interface, the instrument's files lie one above.
#[test]
fn devices_are_known_by_the_files_of_the_kernel() {
    let root = tempfile::tempdir().unwrap();
    let instrument = root.path().join("devices/1-1");
    std::fs::create_dir_all(instrument.join("1-1:1.0")).unwrap();
    let files =
        [("idVendor", "1ab1"), ("idProduct", "04ce"), ("serial", "DS1ZA1"), ("product", "DS1000Z Serials")];
    files.iter().for_each(|(name, text)| std::fs::write(instrument.join(name), format!("{text}\n")).unwrap());
    let entry = root.path().join("class/usbtmc3");
    std::fs::create_dir_all(&entry).unwrap();
    std::os::unix::fs::symlink(instrument.join("1-1:1.0"), entry.join("device")).unwrap();
    let expected = UsbDevice {
        path: "/dev/usbtmc3".into(),
        vendor: 0x1AB1,
        product: 0x04CE,
        serial: "DS1ZA1".into(),
        title: "DS1000Z Serials".into(),
    };
    assert_eq!(list_in(&root.path().join("class")), [expected]);
    assert_eq!(list_in(&root.path().join("nothing")), []);
}
