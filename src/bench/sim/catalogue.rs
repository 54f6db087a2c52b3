//! Every setting of the instrument: header, kind, value after a reset.
//!
//! From the programming guide of the MSO1000Z/DS1000Z series (chapter 2) as far as clients use it.

use super::settings::{Id, Kind, Row};
use crate::units::Picos;
use Kind::{Choice, Depth, Flag, Real, Span, Whole};

const fn row(id: Id, header: &'static str, kind: Kind, initial: &'static str) -> Row {
    Row { id, header, kind, initial }
}
const fn plain(header: &'static str, kind: Kind, initial: &'static str) -> Row {
    row(Id::Plain, header, kind, initial)
}

const SOURCES: Kind = Choice(&["CHANnel1", "CHANnel2", "CHANnel3", "CHANnel4", "MATH"]);
const CHANNEL: Kind = Choice(&["CHANnel1", "CHANnel2", "CHANnel3", "CHANnel4"]);
const TRIGGER: Kind = Choice(&["CHANnel1", "CHANnel2", "CHANnel3", "CHANnel4", "AC"]);
const SLOPE: Kind = Choice(&["POSitive", "NEGative", "RFALl"]);
const EDGE: Kind = Choice(&["POSitive", "NEGative"]);
const WHEN: Kind = Choice(&["PGReater", "PLESs", "PGLess", "NGReater", "NLESs", "NGLess"]);
const LEVEL: Kind = Real(-1e5, 1e5);
const NANO: Picos = Picos::from_ns(1);
const WIDTH: Kind = Span(Picos::from_ns(8), Picos::from_s(10));
const ANY_TIME: Kind = Span(Picos::from_s(-1_000_000), Picos::from_s(1_000_000));
const BRIGHTNESS: Kind = Whole(0, 100);
const POINTS: Kind = Whole(1, 24_000_000);

/// The rows, in the order of the guide.
pub(super) const ROWS: [Row; 96] = [
    plain(":ACQuire:AVERages", Whole(2, 1024), "2"),
    row(Id::Depth, ":ACQuire:MDEPth", Depth, "AUTO"),
    plain(":ACQuire:TYPE", Choice(&["NORMal", "AVERages", "PEAK", "HRESolution"]), "NORM"),
    row(Id::Bandwidth, ":CHANnel#:BWLimit", Choice(&["20M", "OFF"]), "OFF"),
    row(Id::Coupling, ":CHANnel#:COUPling", Choice(&["AC", "DC", "GND"]), "DC"),
    row(Id::Display, ":CHANnel#:DISPlay", Flag, "0"),
    row(Id::Invert, ":CHANnel#:INVert", Flag, "0"),
    row(Id::Offset, ":CHANnel#:OFFSet", LEVEL, "0"),
    row(Id::Probe, ":CHANnel#:PROBe", Real(0.01, 1000.0), "10"),
    row(Id::Scale, ":CHANnel#:SCALe", Real(1e-6, 1e5), "1"),
    row(Id::DelayCalibration, ":CHANnel#:TCAL", Span(Picos::from_ns(-100), Picos::from_ns(100)), "0"),
    plain(":CHANnel#:UNITs", Choice(&["VOLTage", "WATT", "AMPere", "UNKNown"]), "VOLT"),
    row(Id::Vernier, ":CHANnel#:VERNier", Flag, "0"),
    plain(":COUNter:SOURce", Choice(&["OFF", "CHANnel1", "CHANnel2", "CHANnel3", "CHANnel4", "MATH"]), "OFF"),
    plain(":CURSor:MODE", Choice(&["OFF", "MANual", "TRACk", "AUTO", "XY"]), "OFF"),
    plain(":DISPlay:GBRightness", BRIGHTNESS, "50"),
    plain(":DISPlay:GRADing:TIME", Choice(&["MIN", "0.1", "0.2", "0.5", "1", "5", "10", "INFinite"]), "MIN"),
    plain(":DISPlay:GRID", Choice(&["FULL", "HALF", "NONE"]), "FULL"),
    plain(":DISPlay:TYPE", Choice(&["VECTors", "DOTS"]), "VECT"),
    plain(":DISPlay:WBRightness", BRIGHTNESS, "60"),
    row(Id::Recording, ":FUNCtion:WRECord:ENABle", Flag, "0"),
    plain(":FUNCtion:WRECord:FEND", Whole(1, 100_000), "1"),
    plain(":FUNCtion:WRECord:FINTerval", Span(Picos::from_ns(100), Picos::from_s(10)), "1e-7"),
    plain(":FUNCtion:WRECord:OPERate", Choice(&["RUN", "STOP"]), "STOP"),
    plain(":FUNCtion:WRECord:PROMpt", Flag, "0"),
    row(Id::LogicAnalyser, ":LA:STATe", Flag, "0"),
    plain(":MASK:ENABle", Flag, "0"),
    plain(":MATH:DISPlay", Flag, "0"),
    plain(":MATH:INVert", Flag, "0"),
    plain(":MATH:OFFSet", LEVEL, "0"),
    plain(
        ":MATH:OPERator",
        Choice(&["ADD", "SUBTract", "MULTiply", "DIVision", "AND", "OR", "XOR", "NOT", "FFT"]),
        "ADD",
    ),
    plain(":MATH:SCALe", Real(1e-12, 1e12), "1"),
    plain(":MATH:SOURce1", CHANNEL, "CHAN1"),
    plain(":MATH:SOURce2", CHANNEL, "CHAN2"),
    plain(":MEASure:ADISplay", Flag, "0"),
    plain(":MEASure:AMSource", SOURCES, "CHAN1"),
    plain(":MEASure:SETup:DSA", CHANNEL, "CHAN1"),
    plain(":MEASure:SETup:DSB", CHANNEL, "CHAN2"),
    plain(":MEASure:SETup:MAX", Whole(7, 95), "90"),
    plain(":MEASure:SETup:MID", Whole(6, 94), "50"),
    plain(":MEASure:SETup:MIN", Whole(5, 93), "10"),
    plain(":MEASure:SETup:PSA", CHANNEL, "CHAN1"),
    plain(":MEASure:SETup:PSB", CHANNEL, "CHAN2"),
    row(Id::MeasureSource, ":MEASure:SOURce", SOURCES, "CHAN1"),
    plain(":MEASure:STATistic:DISPlay", Flag, "0"),
    plain(":MEASure:STATistic:MODE", Choice(&["DIFFerence", "EXTRemum"]), "EXTR"),
    plain(":REFerence:DISPlay", Flag, "0"),
    plain(":SYSTem:AUToscale", Flag, "1"),
    plain(":SYSTem:BEEPer", Flag, "0"),
    plain(
        ":SYSTem:LANGuage",
        Choice(&[
            "SCHinese",
            "TCHinese",
            "ENGLish",
            "PORTuguese",
            "GERMan",
            "POLish",
            "KORean",
            "JAPAnese",
            "FRENch",
            "RUSSian",
        ]),
        "ENGL",
    ),
    plain(":SYSTem:LOCKed", Flag, "0"),
    plain(":SYSTem:PON", Choice(&["LATest", "DEFault"]), "LAT"),
    row(Id::ZoomOn, ":TIMebase:DELay:ENABle", Flag, "0"),
    plain(":TIMebase:DELay:OFFSet", ANY_TIME, "0"),
    plain(":TIMebase:DELay:SCALe", Span(NANO, Picos::from_s(50)), "5e-7"),
    row(Id::TimeOffset, ":TIMebase:[MAIN]:OFFSet", ANY_TIME, "0"),
    row(Id::Timebase, ":TIMebase:[MAIN]:SCALe", Span(Picos(1), Picos::from_s(50)), "1e-6"),
    row(Id::TimeMode, ":TIMebase:MODE", Choice(&["MAIN", "XY", "ROLL"]), "MAIN"),
    plain(":TRIGger:COUPling", Choice(&["AC", "DC", "LFReject", "HFReject"]), "DC"),
    plain(":TRIGger:DELay:SA", CHANNEL, "CHAN1"),
    plain(":TRIGger:DELay:SB", CHANNEL, "CHAN2"),
    plain(":TRIGger:DELay:SLOPA", EDGE, "POS"),
    plain(":TRIGger:DELay:SLOPB", EDGE, "POS"),
    plain(":TRIGger:DELay:TLOWer", WIDTH, "1e-6"),
    plain(":TRIGger:DELay:TUPPer", WIDTH, "2e-6"),
    plain(":TRIGger:DELay:TYPe", Choice(&["GREater", "LESS", "GLESs", "GOUT"]), "GRE"),
    row(Id::EdgeLevel, ":TRIGger:EDGe:LEVel", LEVEL, "0"),
    row(Id::EdgeSlope, ":TRIGger:EDGe:SLOPe", SLOPE, "POS"),
    row(Id::EdgeSource, ":TRIGger:EDGe:SOURce", TRIGGER, "CHAN1"),
    plain(":TRIGger:HOLDoff", Span(Picos::from_ns(16), Picos::from_s(10)), "1.6e-8"),
    row(
        Id::TriggerMode,
        ":TRIGger:MODE",
        Choice(&[
            "EDGE", "PULSe", "RUNT", "WINDows", "NEDGe", "SLOPe", "VIDeo", "PATTern", "DELay", "TIMeout",
            "DURation", "SHOLd", "RS232", "IIC", "SPI",
        ]),
        "EDGE",
    ),
    row(Id::NoiseReject, ":TRIGger:NREJect", Flag, "0"),
    plain(":TRIGger:PULSe:LEVel", LEVEL, "0"),
    plain(":TRIGger:PULSe:LWIDth", WIDTH, "1e-6"),
    plain(":TRIGger:PULSe:SOURce", CHANNEL, "CHAN1"),
    plain(":TRIGger:PULSe:UWIDth", WIDTH, "2e-6"),
    plain(":TRIGger:PULSe:WHEN", WHEN, "PGR"),
    plain(":TRIGger:PULSe:WIDTh", WIDTH, "1e-6"),
    plain(":TRIGger:SLOPe:ALEVel", LEVEL, "0"),
    plain(":TRIGger:SLOPe:BLEVel", LEVEL, "0"),
    plain(":TRIGger:SLOPe:SOURce", CHANNEL, "CHAN1"),
    plain(":TRIGger:SLOPe:TIME", WIDTH, "1e-6"),
    plain(":TRIGger:SLOPe:TLOWer", WIDTH, "1e-6"),
    plain(":TRIGger:SLOPe:TUPPer", WIDTH, "2e-6"),
    plain(":TRIGger:SLOPe:WHEN", WHEN, "PGR"),
    row(Id::Sweep, ":TRIGger:SWEep", Choice(&["AUTO", "NORMal", "SINGle"]), "AUTO"),
    plain(":TRIGger:TIMeout:SLOPe", SLOPE, "POS"),
    plain(":TRIGger:TIMeout:SOURce", CHANNEL, "CHAN1"),
    plain(":TRIGger:TIMeout:TIMe", WIDTH, "1e-6"),
    row(Id::WaveFormat, ":WAVeform:FORMat", Choice(&["WORD", "BYTE", "ASCii"]), "BYTE"),
    row(Id::WaveMode, ":WAVeform:MODE", Choice(&["NORMal", "MAXimum", "RAW"]), "NORM"),
    row(Id::WaveSource, ":WAVeform:SOURce", SOURCES, "CHAN1"),
    row(Id::WaveStart, ":WAVeform:STARt", POINTS, "1"),
    row(Id::WaveStop, ":WAVeform:STOP", POINTS, "1200"),
    plain(":FUNCtion:WREPlay:FCURrent", Whole(1, 100_000), "1"),
    plain(":FUNCtion:WREPlay:OPERate", Choice(&["PLAY", "STOP", "PAUSe"]), "STOP"),
];
